// Sorts values into buckets in scalar loops, since the place of each entry depends on the previous entries.
// Converts offsets to and from bucket entries in vectorised loops.
#include "kernel/bucket.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/bucket.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint64_t>;

void make_relative(const std::int64_t* offsets, std::int64_t count, const OffsetRange& range,
                   std::uint32_t* relative) {
  const Words words;
  const hn::Rebind<std::uint32_t, Words> halves;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(words));
  const auto* from = reinterpret_cast<const std::uint64_t*>(offsets);
  const auto begin = static_cast<std::uint64_t>(range.begin);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto from_begin = hn::Sub(hn::LoadU(words, from + i), hn::Set(words, begin));
    const auto units = hn::ShiftRightSame(from_begin, range.unit);
    const auto inside = hn::Lt(from_begin, hn::Set(words, range.size));
    hn::StoreU(hn::TruncateTo(halves, hn::IfThenElseZero(inside, units)), halves, relative + i);
  }
  for (; i < count; ++i) {
    const std::uint64_t from_begin = from[i] - begin;
    relative[i] = from_begin < range.size ? static_cast<std::uint32_t>(from_begin >> range.unit) : 0;
  }
}

// The upper half of an entry holds its offset.
template <class V>
HWY_INLINE void store_offsets(V entries, const TakenOffset& as, std::int64_t* offsets) {
  const Words words;
  const auto kept = hn::And(hn::ShiftRight<32>(entries), hn::Set(words, std::uint64_t{as.mask}));
  const auto elements =
      hn::Add(hn::ShiftLeftSame(kept, as.unit), hn::Set(words, static_cast<std::uint64_t>(as.begin)));
  hn::StoreU(elements, words, reinterpret_cast<std::uint64_t*>(offsets));
}

HWY_INLINE std::uint64_t entry_at(const std::byte* entries, std::int64_t i, const TakenOffset& as,
                                  std::int64_t* offsets) {
  std::uint64_t entry = 0;
  std::memcpy(&entry, entries + i * 8, sizeof entry);
  offsets[i] = as.begin + (static_cast<std::int64_t>(entry >> 32 & as.mask) << as.unit);
  return entry;
}

void take_numbers(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets,
                  std::int64_t first, std::int64_t row, std::int64_t* update_offsets) {
  const Words words;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(words));
  const auto* from = reinterpret_cast<const std::uint64_t*>(entries);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto here = hn::LoadU(words, from + i);
    store_offsets(here, as, offsets + i);
    const auto number = hn::And(here, hn::Set(words, std::uint64_t{UINT32_MAX}));
    const auto update_offset = hn::Add(hn::Mul(number, hn::Set(words, static_cast<std::uint64_t>(row))),
                                       hn::Set(words, static_cast<std::uint64_t>(first * row)));
    hn::StoreU(update_offset, words, reinterpret_cast<std::uint64_t*>(update_offsets + i));
  }
  for (; i < count; ++i) {
    const std::uint64_t entry = entry_at(entries, i, as, offsets);
    update_offsets[i] = (first + static_cast<std::int64_t>(entry & UINT32_MAX)) * row;
  }
}

void take_offsets(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets) {
  const Words words;
  const hn::Rebind<std::uint32_t, Words> halves;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(words));
  const auto* from = reinterpret_cast<const std::uint32_t*>(entries);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto units =
        hn::And(hn::PromoteTo(words, hn::LoadU(halves, from + i)), hn::Set(words, std::uint64_t{as.mask}));
    const auto elements =
        hn::Add(hn::ShiftLeftSame(units, as.unit), hn::Set(words, static_cast<std::uint64_t>(as.begin)));
    hn::StoreU(elements, words, reinterpret_cast<std::uint64_t*>(offsets) + i);
  }
  for (; i < count; ++i) offsets[i] = as.begin + (std::int64_t{from[i] & as.mask} << as.unit);
}

void take_four(const std::byte* entries, std::int64_t count, const TakenOffset& as, std::int64_t* offsets,
               std::byte* values) {
  const Words words;
  const hn::Rebind<std::uint32_t, Words> halves;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(words));
  const auto* from = reinterpret_cast<const std::uint64_t*>(entries);
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto here = hn::LoadU(words, from + i);
    store_offsets(here, as, offsets + i);
    hn::StoreU(hn::TruncateTo(halves, here), halves, reinterpret_cast<std::uint32_t*>(values) + i);
  }
  for (; i < count; ++i) {
    const auto value = static_cast<std::uint32_t>(entry_at(entries, i, as, offsets));
    std::memcpy(values + i * 4, &value, sizeof value);
  }
}

BucketOffsets loops() { return {&make_relative, &take_numbers, &take_offsets, &take_four}; }

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(loops);
BucketOffsets bucket_offsets() noexcept { return HWY_DYNAMIC_DISPATCH(loops)(); }

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
#endif
