// Radix partition of positions: splits the addressed data into blocks, assigns blocks to buckets, and lists the
// positions of each bucket in ascending order. RowsAhead applies long rows directly, without copying them into
// buckets, and prefetches the next ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/machine.h"
#include "core/parallel.h"
#include "core/prefetch.h"
#include "core/tuning.h"
#include "engine/geometry/geometry.h"
#include "engine/strategy/strategies.h"
#include "engine/traversal/tasks.h"
#include "index/resolve.h"

namespace strew {

/// A range of data cut into blocks of equal size, except the last.
struct Blocks {
  Range data{0, 0};  ///< range of data offsets, not empty
  int unit = 0;      ///< log2 of the granularity: offsets are multiples of 1 << unit, counted from data.begin
  int shift = 0;     ///< a block has 1 << shift units, so 1 << (shift + unit) elements

  std::int64_t count() const noexcept { return ((data.end - data.begin - 1) >> (unit + shift)) + 1; }
  /// The elements of block `b`.
  Range operator[](std::int64_t b) const noexcept;
  /// The block of a data offset; the first block if the offset is outside the data.
  std::int64_t containing(std::int64_t offset) const noexcept {
    return offset >= data.begin && offset < data.end ? (offset - data.begin) >> (unit + shift) : 0;
  }
};

/// Assigns consecutive blocks to buckets such that buckets have about the same weight. Weights are positive.
void assign_blocks(std::span<const std::int64_t> weights, std::int64_t buckets,
                   std::span<std::uint16_t> bucket_of) noexcept;

/// The content of a bucket entry besides the data offset.
enum class Payload : std::uint8_t {
  kUpdate,  ///< the row of the update (1, 2, 4 or 8 bytes); nothing if all updates are the same element
  kOffset,  ///< the offset of the row of the update
};

/// Lists of positions. Consecutive positions form chunks, and a list contains the positions of one bucket in one
/// chunk. A chunk fits in L2, and several threads sort chunks at once.
class RadixPartition {
 public:
  /// Data have at most UINT32_MAX + 1 units, and there are at most UINT16_MAX + 1 buckets. `chunk`: number of
  /// positions in a chunk. `drops`: true to leave out positions that resolve to kDroppedOffset.
  RadixPartition(const Geometry& geometry, const Blocks& blocks, std::int64_t buckets, Payload carried,
                 std::int64_t chunk, bool drops = false) noexcept;

  std::int64_t chunks() const noexcept { return chunks_; }
  std::int64_t bucket_count() const noexcept { return bucket_count_; }
  /// False if all updates are the same element, which entries then omit.
  bool has_updates() const noexcept { return carried_bytes_ > 0; }
  /// Bytes of memory for all lists (`bytes`) and for sorting one chunk (`bytes_to_sort`), in whole cache lines.
  std::int64_t bytes() const noexcept { return bytes_; }
  std::int64_t bytes_to_sort() const noexcept { return bytes_to_sort_; }

  /// The bucket of each block; bucket numbers never decrease from block to block. The caller sets the buckets
  /// before sorting.
  std::span<std::uint16_t> bucket_of(std::byte* memory) const noexcept {
    return {reinterpret_cast<std::uint16_t*>(memory), static_cast<std::size_t>(blocks_.count())};
  }

  /// Sorts a chunk. All chunks share `memory` (of size `bytes()`); `own` (of size `bytes_to_sort()`) belongs to
  /// the calling thread. If an index changed after the check and its offset is now outside the data, the position
  /// gets offset data.begin.
  void sort(std::int64_t chunk, const IndexResolver& resolver, const void* updates, std::byte* memory,
            std::byte* own) const;

  /// The starts of the lists of all buckets in a chunk, and the end of the last list.
  const std::uint32_t* starts(const std::byte* memory, std::int64_t chunk) const noexcept {
    return reinterpret_cast<const std::uint32_t*>(memory + starts_at_) + chunk * starts_of_chunk_;
  }
  Range list(const std::byte* memory, std::int64_t chunk, std::int64_t bucket) const noexcept {
    return {starts(memory, chunk)[bucket], starts(memory, chunk)[bucket + 1]};
  }

  /// A range of memory, for example the entries of a list.
  struct Memory {
    const std::byte* first;
    std::int64_t bytes;
  };
  Memory entries(const std::byte* memory, std::int64_t chunk, Range list) const noexcept {
    return {memory + entries_at_ + (chunk * chunk_ + list.begin) * entry_bytes_,
            (list.end - list.begin) * entry_bytes_};
  }

  /// Reads updates and their data offsets, counted from data.begin, or from the start of the block if `in_block`.
  void take_updates(const std::byte* memory, std::int64_t chunk, Range list, bool in_block, std::int64_t* offsets,
                    std::byte* updates) const;
  /// Reads the offsets of updates, and their data offsets counted from 0 (not from data.begin), both in elements.
  void take_update_offsets(const std::byte* memory, std::int64_t chunk, Range list, std::int64_t* offsets,
                           std::int64_t* update_offsets) const;

 private:
  const Geometry* geometry_;
  Blocks blocks_;
  Payload carried_;
  bool drops_;
  bool ordered_;        // rows of updates are contiguous in the order of positions, and none is dropped
  std::int64_t chunk_;  // number of positions in a chunk
  std::int64_t chunks_;
  std::int64_t bucket_count_;
  std::int64_t carried_bytes_;
  std::int64_t entry_bytes_;
  std::int64_t starts_at_;        // the starts follow bucket_of
  std::int64_t starts_of_chunk_;  // number of starts of a chunk, padded to a cache line
  std::int64_t entries_at_;
  std::int64_t bytes_;
  // Byte offsets in the memory for sorting: of the next entry of each bucket, of lists of offsets, of payloads.
  std::int64_t next_at_;
  std::int64_t lists_at_;
  std::int64_t carried_at_;
  std::int64_t bytes_to_sort_;
};

/// Returns the payload of bucket entries. Entries contain short updates themselves, unless the updates are few
/// relative to the size of the data that they reach.
Payload carried_by(const Geometry& geometry, const Range& reached) noexcept;

std::int64_t usual_bucket_count(std::int64_t tasks) noexcept;

/// Sizes and byte offsets of the parts of the scratch memory.
struct PartitionLayout {
  static constexpr std::int64_t kTaken = 512;  ///< maximum number of updates read from a list at once
  /// Size of the values of kTaken updates. If all updates are the same element, this memory holds copies of it.
  static constexpr std::int64_t kValueBytes = kTaken * kMaxPayloadBytes;

  PartitionLayout(const Geometry& geometry, const Choice& choice, bool drops) noexcept;

  std::int64_t block_bytes() const noexcept { return width << (blocks.unit + blocks.shift); }

  std::int64_t width;
  Payload carries;
  Blocks blocks;
  RadixPartition lists;
  std::int64_t costs_at;  ///< number of sampled updates per block, later prefix sums of the costs of buckets
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

/// A queue of rows, which are applied in order. The `ahead_` rows after the current ones are prefetched.
class RowsAhead {
 public:
  explicit RowsAhead(const Work& work) noexcept
      : work_(work),
        width_(element_bytes(work.geometry)),
        asked_(std::min(work.geometry.row * width_, kMaxPrefetchedRowBytes)) {
    if (!moves_bytes(work.geometry)) return;
    ahead_ = std::min(prefetch_distance(asked_), kMaxAhead);
    step_ = std::clamp(kPrefetchBurstBytes / asked_, std::int64_t{1}, kPrefetchedRows);
  }

  /// The number of free entries, and the addresses of the first free entry's data offset and update offset.
  std::int64_t capacity_left() const noexcept { return kMost - count_; }
  std::int64_t* offsets() noexcept { return offsets_.data() + count_; }
  std::int64_t* update_offsets() noexcept { return update_offsets_.data() + count_; }

  void add(std::int64_t count) {
    count_ += count;
    if (capacity_left() == 0) apply(count_ - ahead_);
  }
  void finish() { apply(count_); }

 private:
  // Half of the usual distance, since each entry has two rows to prefetch: one of data, one of updates.
  static constexpr std::int64_t kMaxAhead = prefetch_distance(kCacheLineBytes) / 2;
  static constexpr std::int64_t kMost = 256 + kMaxAhead;

  void apply(std::int64_t ready) {
    auto* target = static_cast<std::byte*>(work_.target);
    const auto* source = static_cast<const std::byte*>(work_.source);
    for (std::int64_t i = 0; i < ready; i += step_) {
      const std::int64_t count = std::min(step_, ready - i);
      const std::int64_t until = ahead_ == 0 ? 0 : std::min(i + count + ahead_, count_);
      for (; seen_ < until; ++seen_) {
        prefetch_to_l2(source + update_offsets_[static_cast<std::size_t>(seen_)] * width_, asked_);
        prefetch_to_l2(target + offsets_[static_cast<std::size_t>(seen_)] * width_, asked_);
      }
      apply_rows(work_, target, source, offsets_.data() + i, update_offsets_.data() + i, count);
    }
    seen_ = std::max<std::int64_t>(seen_ - ready, 0);
    count_ -= ready;
    std::copy_n(offsets_.data() + ready, count_, offsets_.data());
    std::copy_n(update_offsets_.data() + ready, count_, update_offsets_.data());
  }

  const Work& work_;
  std::int64_t width_;
  std::int64_t asked_;  // prefetched bytes of a row
  std::int64_t ahead_ = 0;
  std::int64_t step_ = kMost;
  std::int64_t count_ = 0;
  std::int64_t seen_ = 0;  // rows at the front that were prefetched
  alignas(kCacheLineBytes) std::array<std::int64_t, kMost> offsets_;
  std::array<std::int64_t, kMost> update_offsets_;
};

}  // namespace strew
