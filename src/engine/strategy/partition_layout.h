// The scratch memory of kPartition: blocks, their buckets, lists of updates, and memory for each task.
#pragma once

#include <cstdint>

#include "core/thresholds.h"
#include "engine/strategy/choice.h"
#include "engine/strategy/radix_partition.h"

namespace strew {

/// The payload of a bucket entry: short updates move with their offsets, unless they are so few that blocks in the
/// cache do not pay.
Payload carried_by(const Geometry& geometry, const Range& reached) noexcept;

/// Number of buckets if nothing else decides it.
std::int64_t usual_bucket_count(std::int64_t tasks) noexcept;

/// Sizes, and byte offsets of each part in the scratch memory.
struct PartitionLayout {
  static constexpr std::int64_t kTaken = 512;  ///< maximum number of updates read from a list at once
  /// Size of their values, or of as many copies of one value that stands for all.
  static constexpr std::int64_t kValueBytes = kTaken * kMaxPayloadBytes;

  PartitionLayout(const Geometry& geometry, const Choice& choice, bool drops) noexcept;

  std::int64_t block_bytes() const noexcept { return width << (blocks.unit + blocks.shift); }

  std::int64_t width;
  Payload carries;
  Blocks blocks;
  RadixPartition lists;
  std::int64_t costs_at;  ///< prefix sums of the costs of blocks, later of buckets
  std::int64_t tasks_at;  ///< for each task: an in-use flag, memory for sorting, updates, one block
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
