// A radix partition of positions: the data that index values address are split into blocks, blocks are assigned to
// buckets, and the positions that address the blocks of a bucket are listed in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/parallel.h"
#include "engine/geometry/reach.h"
#include "index/resolve.h"

namespace strew {

/// Some data, cut into blocks of one size but for the last.
struct Blocks {
  Range data{0, 0};  ///< data offsets, not empty
  int unit = 0;      ///< the offsets that positions have are multiples of 1 << unit, counted from data.begin
  int shift = 0;     ///< a block has 1 << shift units, and so many elements times 1 << unit

  std::int64_t count() const noexcept { return ((data.end - data.begin - 1) >> (unit + shift)) + 1; }
  /// The elements of block `b`.
  Range operator[](std::int64_t b) const noexcept;
  /// The block with this data offset; the first where none has it.
  std::int64_t containing(std::int64_t offset) const noexcept {
    return offset >= data.begin && offset < data.end ? (offset - data.begin) >> (unit + shift) : 0;
  }
};

/// Assigns blocks to buckets, in turn, so that each has about as much weight as the others. Weights are positive.
void assign_blocks(std::span<const std::int64_t> weights, std::int64_t buckets,
                   std::span<std::uint16_t> bucket_of) noexcept;

/// What the list of a bucket holds of a position besides its data offset.
enum class Payload : std::uint8_t {
  kUpdate,  ///< its row of the update itself, of 1, 2, 4 or 8 bytes; nothing where all are one element
  kOffset,  ///< where its row of the update lies
};

/// Lists of positions, sorted chunk by chunk: a chunk is so small that it is sorted in the cache, and chunks are
/// sorted at once by several threads. The list of a bucket is what it has in each chunk, one after the other.
class RadixPartition {
 public:
  /// At most UINT32_MAX + 1 units of data and UINT16_MAX + 1 buckets. `chunk`: positions. `drops`: those that
  /// resolve to kDroppedOffset have no bucket.
  RadixPartition(const Geometry& geometry, const Blocks& blocks, std::int64_t buckets, Payload carried,
                 std::int64_t chunk, bool drops = false) noexcept;

  std::int64_t chunks() const noexcept { return chunks_; }
  std::int64_t bucket_count() const noexcept { return bucket_count_; }
  /// False where all updates are one element, which is not taken.
  bool has_updates() const noexcept { return carried_bytes_ > 0; }
  /// Of the memory that lists take, and of what sorting a chunk takes beside it, in whole cache lines.
  std::int64_t bytes() const noexcept { return bytes_; }
  std::int64_t bytes_to_sort() const noexcept { return bytes_to_sort_; }

  /// The bucket of each block, to be filled in before sorting; buckets follow each other as blocks do.
  std::span<std::uint16_t> bucket_of(std::byte* memory) const noexcept {
    return {reinterpret_cast<std::uint16_t*>(memory), static_cast<std::size_t>(blocks_.count())};
  }

  /// Sorts a chunk. `memory` of `bytes()` is that of all chunks, `own` of `bytes_to_sort()` that of the calling
  /// thread. A position outside of the data, because its index was changed after the check, counts as at
  /// their begin.
  void sort(std::int64_t chunk, const IndexResolver& resolver, const void* updates, std::byte* memory,
            std::byte* own) const;

  /// Where the list of each bucket begins in a chunk, and where the last one ends.
  const std::uint32_t* starts(const std::byte* memory, std::int64_t chunk) const noexcept {
    return reinterpret_cast<const std::uint32_t*>(memory + starts_at_) + chunk * starts_of_chunk_;
  }
  Range list(const std::byte* memory, std::int64_t chunk, std::int64_t bucket) const noexcept {
    return {starts(memory, chunk)[bucket], starts(memory, chunk)[bucket + 1]};
  }

  /// The entries of a list, to prefetch them.
  struct Memory {
    const std::byte* first;
    std::int64_t bytes;
  };
  Memory entries(const std::byte* memory, std::int64_t chunk, Range list) const noexcept {
    return {memory + entries_at_ + (chunk * chunk_ + list.begin) * entry_bytes_,
            (list.end - list.begin) * entry_bytes_};
  }

  /// Reads a part of a list: data offsets counted from the begin of the data (from that of the block where
  /// `in_block`), and the updates, one after the other, or where they lie, in elements.
  void take_updates(const std::byte* memory, std::int64_t chunk, Range list, bool in_block, std::int64_t* offsets,
                    std::byte* updates) const;
  void take_update_offsets(const std::byte* memory, std::int64_t chunk, Range list, std::int64_t* offsets,
                           std::int64_t* update_offsets) const;

 private:
  const Geometry* geometry_;
  Blocks blocks_;
  Payload carried_;
  bool drops_;
  bool ordered_;        // rows of the update follow each other in memory, and all of them are used
  std::int64_t chunk_;  // positions
  std::int64_t chunks_;
  std::int64_t bucket_count_;
  std::int64_t carried_bytes_;
  std::int64_t entry_bytes_;
  std::int64_t starts_at_;        // after the buckets of blocks
  std::int64_t starts_of_chunk_;  // where each bucket's list begins in a chunk, and the end
  std::int64_t entries_at_;
  std::int64_t bytes_;
  // In the memory to sort: relative offsets, the next entry of each bucket, lists of offsets, what is carried.
  std::int64_t next_at_;
  std::int64_t lists_at_;
  std::int64_t carried_at_;
  std::int64_t bytes_to_sort_;
};

}  // namespace strew
