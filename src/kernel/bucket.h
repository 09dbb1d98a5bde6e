// Sorting values into buckets of their offsets, in order within each bucket, and taking a bucket out again.
#pragma once

#include <cstddef>
#include <cstdint>

namespace strew {

/// The loops for values of one width. A value and its offset lie side by side in an entry: one line is written for
/// both (with two arrays, whose lines are twice as many, the loop is three times slower).
struct BucketLoops {
  std::int64_t entry_bytes;
  /// Puts each value into entry `next[offset >> shift]++`.
  void (*fill)(const std::uint32_t* offsets, const std::byte* values, std::int64_t count, int shift,
               std::uint32_t* next, std::byte* entries);
  /// Takes values apart from the offsets, of which only the bits below `1 << shift` are kept.
  void (*take)(const std::byte* entries, std::int64_t count, int shift, std::int64_t* offsets, std::byte* values);
};

/// By the width of a value in bytes: 1, 2, 4, 8 or 16.
const BucketLoops& bucket_loops(std::int64_t width) noexcept;

struct OffsetRange {
  std::int64_t begin;
  std::uint32_t size;  ///< at least 1
};

/// Makes offsets relative to the begin of a range and counts how many fall into each bucket. One outside of the
/// range, because its index was changed after the check, counts as its begin.
void count_buckets(const std::int64_t* offsets, std::int64_t count, const OffsetRange& range, int shift,
                   std::uint32_t* relative, std::uint32_t* counts) noexcept;

}  // namespace strew
