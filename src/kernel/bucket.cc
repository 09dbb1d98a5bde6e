// Sorts values into buckets in scalar loops, since the place of each entry depends on the previous entries.
#include "kernel/bucket.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace strew {
namespace {

// A bucket entry. Its size divides the size of a cache line.
template <std::size_t kWidth>
struct Entry {
  std::array<std::byte, kWidth> value;
  std::uint32_t offset;
};
template <>
struct Entry<0> {
  std::uint32_t offset;
};
template <>
struct Entry<8> {
  std::array<std::byte, 8> value;
  std::uint64_t offset;
};

// About the number of cache lines that a core fetches into L1 at once.
constexpr std::int64_t kSlotsAhead = 16;

// Calls put(i, entry) for each update, in order. Prefetches the entries, since stores commit in order: a store
// that misses the cache delays all later stores.
template <std::size_t kEntryBytes, class Put>
void for_each_entry(const std::uint32_t* offsets, std::int64_t count, const Buckets& buckets, std::uint32_t* next,
                    std::byte* entries, const Put& put) {
  const auto [bucket, shift] = buckets;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t ahead = offsets[std::min(i + kSlotsAhead, count - 1)];
    __builtin_prefetch(entries + next[bucket[ahead >> shift]] * kEntryBytes, 1);
    put(i, entries + next[bucket[offsets[i] >> shift]]++ * kEntryBytes);
  }
}

template <std::size_t kWidth>
void fill(const std::uint32_t* offsets, const std::byte* values, std::int64_t count, const Buckets& buckets,
          std::uint32_t* next, std::byte* entries) {
  for_each_entry<sizeof(Entry<kWidth>)>(
      offsets, count, buckets, next, entries, [&](std::int64_t i, std::byte* to) {
        Entry<kWidth> entry{};
        if constexpr (kWidth > 0) std::memcpy(entry.value.data(), values + i * std::int64_t{kWidth}, kWidth);
        entry.offset = offsets[i];
        std::memcpy(to, &entry, sizeof entry);
      });
}

template <std::size_t kWidth>
void take(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets,
          std::byte* values) {
  if constexpr (kWidth == 0) {
    bucket_offsets().take_offsets(entries, count, as, offsets);
  } else if constexpr (kWidth == 4) {
    bucket_offsets().take_four(entries, count, as, offsets, values);
  } else {
    for (std::int64_t i = 0; i < count; ++i, entries += sizeof(Entry<kWidth>), values += kWidth) {
      Entry<kWidth> entry;
      std::memcpy(&entry, entries, sizeof entry);
      offsets[i] = as.begin + (static_cast<std::int64_t>(entry.offset & as.mask) << as.unit);
      std::memcpy(values, entry.value.data(), kWidth);
    }
  }
}

template <std::size_t kWidth>
constexpr BucketLoops kLoops{sizeof(Entry<kWidth>), &fill<kWidth>, &take<kWidth>};

}  // namespace

const BucketLoops& bucket_loops(std::int64_t width) noexcept {
  return width == 0   ? kLoops<0>
         : width == 1 ? kLoops<1>
         : width == 2 ? kLoops<2>
         : width == 4 ? kLoops<4>
                      : kLoops<8>;
}

void fill_numbers(const std::uint32_t* offsets, std::int64_t count, const Buckets& buckets, std::uint32_t* next,
                  std::byte* entries) noexcept {
  for_each_entry<8>(offsets, count, buckets, next, entries, [&](std::int64_t i, std::byte* to) {
    const std::uint64_t entry = std::uint64_t{offsets[i]} << 32 | static_cast<std::uint32_t>(i);
    std::memcpy(to, &entry, sizeof entry);
  });
}

void count_buckets(const std::int64_t* offsets, std::int64_t count, const OffsetRange& range,
                   const Buckets& buckets, std::uint32_t* relative, std::uint32_t* counts) noexcept {
  const auto [bucket, shift] = buckets;
  bucket_offsets().make_relative(offsets, count, range, relative);
  for (std::int64_t i = 0; i < count; ++i) ++counts[bucket[relative[i] >> shift]];
}

}  // namespace strew
