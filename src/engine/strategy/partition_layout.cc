// Sizes of blocks, buckets and chunks.
#include "engine/strategy/partition_layout.h"

#include <algorithm>
#include <bit>

#include "core/arithmetic.h"
#include "core/machine.h"
#include "core/scratch.h"
#include "engine/geometry/reach.h"

namespace strew {
namespace {

constexpr int kMaxShift = 31;

int log2(std::int64_t x) noexcept { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x))) - 1; }

// Blocks that fit the cache where updates go with their offsets; else small ones, of which buckets have several.
Blocks blocks_of(const Geometry& geometry, const Range& reached, Payload carries) noexcept {
  Blocks blocks{reached, offset_unit(geometry), 0};
  const int unit_bytes = log2(element_bytes(geometry) << blocks.unit);
  const bool by_offset = carries == Payload::kOffset;
  blocks.shift = std::clamp(log2(by_offset ? kMinOwnedBytes : usable_l2_bytes()) - unit_bytes, 0, kMaxShift);
  while (blocks.shift < kMaxShift && blocks.count() > (by_offset ? kMaxOwnedBlocks : kMaxPartitionBlocks))
    ++blocks.shift;
  return blocks;
}

}  // namespace

Payload carried_by(const Geometry& geometry, const Range& reached) noexcept {
  if (geometry.repeats) return Payload::kOffset;
  if (geometry.row > kMaxPayloadBytes / element_bytes(geometry)) return Payload::kOffset;
  if (!std::has_single_bit(static_cast<std::uint64_t>(geometry.row))) return Payload::kOffset;
  const bool many =
      geometry.loop.count() >=
      (reached.end - reached.begin) / min_sparse_rows_per_update(element_bytes(geometry)) / geometry.row;
  return many ? Payload::kUpdate : Payload::kOffset;
}

std::int64_t usual_bucket_count(std::int64_t tasks) noexcept {
  return std::max(tasks * kPartsPerTask, kMinBuckets);
}

PartitionLayout::PartitionLayout(const Geometry& geometry, const Choice& choice, bool drops) noexcept
    : width(element_bytes(geometry)),
      carries(carried_by(geometry, choice.owned)),
      blocks(blocks_of(geometry, choice.owned, carries)),
      lists(geometry, blocks, bucket_count(choice), carries, chunk(geometry, choice), drops),
      costs_at(lists.bytes()),
      tasks_at(costs_at + whole_lines((blocks.count() + 1) * 8)),
      own_at(kCacheLineBytes),
      values_at(own_at + lists.bytes_to_sort()),
      buffer_at(values_at + (carries == Payload::kUpdate ? kValueBytes : 0)),
      task_bytes(buffer_at + (choice.copies_data ? whole_lines(block_bytes()) : 0)),
      bytes(tasks_at + choice.strategy.task_count * task_bytes) {}

std::int64_t PartitionLayout::bucket_count(const Choice& choice) const noexcept {
  const std::int64_t most = blocks.count();
  if (carries == Payload::kUpdate) return most;
  const std::int64_t near = (choice.owned.end - choice.owned.begin) * width / machine().l2_bytes;
  return std::min(std::max(usual_bucket_count(choice.strategy.task_count), near), most);
}

// Smaller ones where all tasks would not have some, but for lists of a few entries.
std::int64_t PartitionLayout::chunk(const Geometry& geometry, const Choice& choice) const noexcept {
  const std::int64_t shared = div_up(geometry.loop.count(), choice.strategy.task_count * kPartsPerTask);
  return std::min(std::max(shared, kMeanListUpdates * bucket_count(choice)), partition_chunk_updates());
}

}  // namespace strew
