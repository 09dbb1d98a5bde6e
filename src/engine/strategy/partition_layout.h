// What kPartition works in: blocks, their buckets, lists of updates, and memory for each task.
#pragma once

#include <cstdint>

#include "core/thresholds.h"
#include "engine/strategy/choice.h"
#include "engine/strategy/radix_partition.h"

namespace strew {

/// Short rows go with their offsets; where they are few, blocks are not worth having in the cache.
Payload carried_by(const Geometry& geometry, const Range& reached) noexcept;

/// How many buckets there are, where their number is free.
std::int64_t usual_bucket_count(std::int64_t tasks) noexcept;

/// Sizes, and where everything lies in scratch memory.
struct PartitionLayout {
  static constexpr std::int64_t kTaken = 512;  ///< updates taken out of a list at once
  /// Of updates taken, or as many times the one that all are.
  static constexpr std::int64_t kValueBytes = kTaken * kMaxPayload;

  PartitionLayout(const Geometry& geometry, const Choice& choice, bool drops) noexcept;

  std::int64_t block_bytes() const noexcept { return width << (blocks.unit + blocks.shift); }

  std::int64_t width;
  Payload carries;
  Blocks blocks;
  RadixPartition lists;
  std::int64_t costs_at;  ///< of all blocks before each, then of all buckets
  std::int64_t tasks_at;  ///< of each task: whether it is taken, what sorting takes, updates, a block
  std::int64_t own_at;
  std::int64_t values_at;
  std::int64_t buffer_at;
  std::int64_t task_bytes;
  std::int64_t bytes;

 private:
  std::int64_t bucket_count(const Choice& choice) const noexcept;
  std::int64_t chunk(const Geometry& geometry, const Choice& choice) const noexcept;
};

}  // namespace strew
