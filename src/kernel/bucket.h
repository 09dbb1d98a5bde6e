// Sorting values into buckets of their offsets, in order within each bucket, and taking a bucket out again.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew {

/// Which bucket an offset belongs to: `bucket[offset >> shift]`.
struct Buckets {
  const std::uint16_t* bucket;
  int shift;
};

/// How an offset that was kept with a value is given back.
struct TakenOffset {
  std::int64_t begin;  ///< is added
  std::uint32_t mask;  ///< the bits that are kept
  int unit;            ///< of OffsetRange
};

/// The loops for values of one width. A value and its offset lie side by side in an entry: one line is written for
/// both (with two arrays, whose lines are twice as many, the loop is three times slower).
struct BucketLoops {
  std::int64_t entry_bytes;
  /// Puts each value into the entry `next[bucket]++`.
  void (*fill)(const std::uint32_t* offsets, const std::byte* values, std::int64_t count, const Buckets& buckets,
               std::uint32_t* next, std::byte* entries);
  /// Takes values apart from the offsets.
  void (*take)(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets,
               std::byte* values);
};

/// By the width of a value in bytes: 1, 2, 4 or 8; 0 for offsets without values.
const BucketLoops& bucket_loops(std::int64_t width) noexcept;

/// The same for the numbers 0, 1, ... as values of 4 bytes.
void fill_numbers(const std::uint32_t* offsets, std::int64_t count, const Buckets& buckets, std::uint32_t* next,
                  std::byte* entries) noexcept;

struct OffsetRange {
  std::int64_t begin;
  std::uint64_t size;  ///< at least 1
  int unit = 0;        ///< offsets are multiples of 1 << unit from begin on; at most UINT32_MAX + 1 units
};

/// Loops over offsets in vectors.
struct BucketOffsets {
  /// Makes offsets relative to the begin of a range, in units. One outside of the range, because its index was
  /// changed after the check, counts as its begin.
  void (*make_relative)(const std::int64_t* offsets, std::int64_t count, const OffsetRange& range,
                        std::uint32_t* relative);
  /// Takes numbers apart from the offsets, as `(first + number) * row`.
  void (*take_numbers)(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets,
                       std::int64_t first, std::int64_t row, std::int64_t* update_offsets);
  /// BucketLoops::take without values.
  void (*take_offsets)(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets);
  /// BucketLoops::take of values of 4 bytes.
  void (*take_four)(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets,
                    std::byte* values);
};
BucketOffsets bucket_offsets() noexcept;

/// Makes offsets relative, and counts how many fall into each bucket.
void count_buckets(const std::int64_t* offsets, std::int64_t count, const OffsetRange& range,
                   const Buckets& buckets, std::uint32_t* relative, std::uint32_t* counts) noexcept;

}  // namespace strew
