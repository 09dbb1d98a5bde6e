// Sorts values stably into buckets by their offsets, and reads the buckets back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew {

/// Maps an offset to its bucket, `bucket[offset >> shift]`.
struct Buckets {
  const std::uint16_t* bucket;
  int shift;
};

/// The parameters that restore an offset from a bucket entry.
struct TakenOffset {
  std::int64_t begin;  ///< OffsetRange::begin
  std::uint32_t mask;  ///< the bits of the stored offset that are used
  int unit;            ///< OffsetRange::unit
};

/// The loops for values of one width. An entry holds a value and its offset, so that one cache line is written for
/// both (with two arrays, the loop takes three times as long).
struct BucketLoops {
  std::int64_t entry_bytes;
  /// Stores each value, with its offset, in the entry `next[bucket]++`.
  void (*fill)(const std::uint32_t* offsets, const std::byte* values, std::int64_t count, const Buckets& buckets,
               std::uint32_t* next, std::byte* entries);
  /// Splits entries into values and offsets.
  void (*take)(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets,
               std::byte* values);
};

/// Returns the loops for values of 1, 2, 4 or 8 bytes, or for offsets without values if `width` is 0.
const BucketLoops& bucket_loops(std::int64_t width) noexcept;

/// Does the same as BucketLoops::fill, with the numbers 0, 1, ... as values of 4 bytes.
void fill_numbers(const std::uint32_t* offsets, std::int64_t count, const Buckets& buckets, std::uint32_t* next,
                  std::byte* entries) noexcept;

struct OffsetRange {
  std::int64_t begin;
  std::uint64_t size;  ///< at least 1
  int unit = 0;        ///< offset - begin is a multiple of 1 << unit; the range has at most UINT32_MAX + 1 units
};

/// Vectorised loops over offsets.
struct BucketOffsets {
  /// Converts offsets to units from the start of a range. An offset outside the range becomes 0; this happens only
  /// if the index value changed after the check.
  void (*make_relative)(const std::int64_t* offsets, std::int64_t count, const OffsetRange& range,
                        std::uint32_t* relative);
  /// Splits entries into offsets and numbers, and stores (first + number) * row as the offset of the update.
  void (*take_numbers)(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets,
                       std::int64_t first, std::int64_t row, std::int64_t* update_offsets);
  /// Does the same as BucketLoops::take for entries without values.
  void (*take_offsets)(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets);
  /// Does the same as BucketLoops::take for values of 4 bytes.
  void (*take_four)(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets,
                    std::byte* values);
};
BucketOffsets bucket_offsets() noexcept;

/// Calls make_relative and counts the offsets of each bucket.
void count_buckets(const std::int64_t* offsets, std::int64_t count, const OffsetRange& range,
                   const Buckets& buckets, std::uint32_t* relative, std::uint32_t* counts) noexcept;

}  // namespace strew
