// Sorts each chunk with a counting sort, and chooses the sizes of blocks, buckets and chunks.
#include "engine/strategy/radix_partition.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/machine.h"
#include "core/prefetch.h"
#include "core/scratch.h"
#include "core/size.h"
#include "engine/traversal/offset_block.h"
#include "kernel/bucket.h"
#include "kernel/kernel.h"

namespace strew {
namespace {

constexpr std::int64_t kOffsetBytes = 8;  // size of an update's offset
constexpr std::int64_t kNumberBytes = 4;  // size of an update's number in its chunk, if updates are contiguous

// True if all updates are the same element, for example the 1 of a count.
bool one_update(const Geometry& geometry) noexcept {
  bool one = geometry.row == 1;
  for (std::int64_t axis = 0; axis < geometry.loop.rank; ++axis) {
    one &= geometry.loop.stride[geometry.loop.at(axis)][kPosition] == 0;
  }
  return one;
}

std::int64_t carried_bytes(const Geometry& geometry, Payload carried, bool ordered) noexcept {
  if (carried == Payload::kUpdate) return one_update(geometry) ? 0 : geometry.row * bit_width(geometry.dtype) / 8;
  return ordered ? kNumberBytes : kOffsetBytes;
}

constexpr int kMaxShift = 31;

int log2(std::int64_t x) noexcept { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x))) - 1; }

// Returns blocks that fit in L2 if updates move with their offsets; else small blocks, several per bucket.
Blocks choose_blocks(const Geometry& geometry, const Range& reached, Payload carries) noexcept {
  Blocks blocks{reached, offset_unit(geometry), 0};
  const int unit_bytes = log2(element_bytes(geometry) << blocks.unit);
  const bool by_offset = carries == Payload::kOffset;
  blocks.shift = std::clamp(log2(by_offset ? kMinOwnedBytes : usable_l2_bytes()) - unit_bytes, 0, kMaxShift);
  while (blocks.shift < kMaxShift && blocks.count() > (by_offset ? kMaxOwnedBlocks : kMaxPartitionBlocks))
    ++blocks.shift;
  return blocks;
}

}  // namespace

Range Blocks::operator[](std::int64_t b) const noexcept {
  const std::int64_t size = std::int64_t{1} << (unit + shift);
  const std::int64_t begin = data.begin + b * size;
  return {begin, std::min(begin + size, data.end)};
}

void assign_blocks(std::span<const std::int64_t> weights, std::int64_t buckets,
                   std::span<std::uint16_t> bucket_of) noexcept {
  const std::int64_t all = std::max<std::int64_t>(std::reduce(weights.begin(), weights.end()), 1);
  std::int64_t before = 0;
  for (std::size_t b = 0; b < weights.size(); ++b) {
    // The weights, end to end, are cut into one equal part for each bucket. Chooses the part with the middle of
    // this block's weight.
    bucket_of[b] = static_cast<std::uint16_t>((2 * before + weights[b]) * buckets / (2 * all));
    before += weights[b];
  }
}

RadixPartition::RadixPartition(const Geometry& geometry, const Blocks& blocks, std::int64_t buckets,
                               Payload carried, std::int64_t chunk, bool drops) noexcept
    : geometry_(&geometry),
      blocks_(blocks),
      carried_(carried),
      drops_(drops),
      ordered_(in_order(geometry) && !drops),
      chunk_(chunk),
      chunks_(div_up(geometry.loop.count(), chunk)),
      bucket_count_(buckets),
      carried_bytes_(carried_bytes(geometry, carried, ordered_)),
      entry_bytes_(bucket_loops(carried_bytes_).entry_bytes),
      starts_at_(whole_lines(blocks.count() * 2)),
      starts_of_chunk_(whole_lines((buckets + 1) * 4) / 4),
      entries_at_(starts_at_ + chunks_ * starts_of_chunk_ * 4),
      bytes_(entries_at_ + whole_lines(geometry.loop.count() * entry_bytes_)),
      next_at_(whole_lines(chunk * 4)),
      lists_at_(next_at_ + whole_lines(bucket_count_ * 4)),
      carried_at_(lists_at_ + whole_lines(2 * sizeof(OffsetBlock::List))),
      bytes_to_sort_(carried_at_ + (ordered_ ? 0 : whole_lines(chunk * carried_bytes_))) {}

void RadixPartition::sort(std::int64_t chunk, const IndexResolver& resolver, const void* updates,
                          std::byte* memory, std::byte* own) const {
  const Geometry& geometry = *geometry_;
  auto* offsets = reinterpret_cast<std::uint32_t*>(own);
  auto* next = reinterpret_cast<std::uint32_t*>(own + next_at_);
  std::byte* carried = own + carried_at_;
  const std::int64_t first = chunk * chunk_;
  const std::int64_t count = std::min(chunk_, geometry.loop.count() - first);
  const OffsetRange range{blocks_.data.begin, static_cast<std::uint64_t>(blocks_.data.end - blocks_.data.begin),
                          blocks_.unit};
  const Buckets buckets{bucket_of(memory).data(), blocks_.shift};
  std::fill_n(next, bucket_count_, 0u);
  auto* lists = reinterpret_cast<OffsetBlock::List*>(own + lists_at_);
  const bool positions = drops_ || (!ordered_ && has_updates());
  OffsetBlock block({}, lists[0].data(), positions ? lists[1].data() : nullptr, false, drops_);
  LoopWalk<3> walk(geometry.loop, first);
  std::byte* entries = memory + entries_at_ + first * entry_bytes_;
  std::int64_t kept = 0;
  for (std::int64_t done = 0; done < count;) {
    done += block.append(geometry, resolver, walk, count - done);
    const std::int64_t n = block.count();
    count_buckets(block.data(), n, range, buckets, offsets + kept, next);
    if (!ordered_ && carried_ == Payload::kOffset) {
      std::copy_n(block.position(0), n, reinterpret_cast<std::int64_t*>(carried) + kept);
    } else if (!ordered_ && has_updates()) {
      copy_kernel(geometry.dtype)(carried + kept * carried_bytes_, updates, nullptr, block.position(0), n,
                                  geometry.row);
    }
    block.drop(n);
    // Prefetches the entries. Writes in random order would otherwise fetch their lines one by one.
    prefetch_to_l2(entries + kept * entry_bytes_, n * entry_bytes_);
    kept += n;
  }
  auto* start = reinterpret_cast<std::uint32_t*>(memory + starts_at_) + chunk * starts_of_chunk_;
  start[bucket_count_] = starts_from_counts(std::span(next, static_cast<std::size_t>(bucket_count_)));
  std::copy_n(next, bucket_count_, start);
  const BucketLoops& loops = bucket_loops(carried_bytes_);
  if (ordered_ && carried_ == Payload::kOffset) {
    fill_numbers(offsets, kept, buckets, next, entries);
  } else {
    const auto* values = ordered_ ? static_cast<const std::byte*>(updates) + first * carried_bytes_ : carried;
    loops.fill(offsets, values, kept, buckets, next, entries);
  }
}

void RadixPartition::take_updates(const std::byte* memory, std::int64_t chunk, Range list, bool in_block,
                                  std::int64_t* offsets, std::byte* updates) const {
  const Memory from = entries(memory, chunk, list);
  const std::uint32_t mask = in_block ? static_cast<std::uint32_t>((std::uint64_t{1} << blocks_.shift) - 1) : ~0u;
  bucket_loops(carried_bytes_).take(from.first, list.end - list.begin, {0, mask, blocks_.unit}, offsets, updates);
}

void RadixPartition::take_update_offsets(const std::byte* memory, std::int64_t chunk, Range list,
                                         std::int64_t* offsets, std::int64_t* update_offsets) const {
  const Memory from = entries(memory, chunk, list);
  const std::int64_t count = list.end - list.begin;
  const TakenOffset as{blocks_.data.begin, ~0u, blocks_.unit};
  if (!ordered_) {
    return bucket_loops(kOffsetBytes)
        .take(from.first, count, as, offsets, reinterpret_cast<std::byte*>(update_offsets));
  }
  bucket_offsets().take_numbers(from.first, count, as, offsets, chunk * chunk_, geometry_->row, update_offsets);
}

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
      blocks(choose_blocks(geometry, choice.owned, carries)),
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

// Number of positions in a chunk: low enough that every task gets chunks, but high enough that the lists of a
// chunk have kMeanListUpdates updates on average.
std::int64_t PartitionLayout::chunk(const Geometry& geometry, const Choice& choice) const noexcept {
  const std::int64_t shared = div_up(geometry.loop.count(), choice.strategy.task_count * kPartsPerTask);
  return std::min(std::max(shared, kMeanListUpdates * bucket_count(choice)), partition_chunk_updates());
}

}  // namespace strew
