// Gathers of elements of 1, 2 and 4 bytes from a table in registers, compiled once for each instruction set.
#include "kernel/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/lookup.cc"
#define HWY_WANT_AVX3_DL  // for byte permutes over two registers
#define HWY_DISABLED_TARGETS HWY_SSSE3
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// SVE is excluded, since its vectors cannot be elements of an array.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_SVE_256 && !HWY_HAVE_SCALABLE && HWY_MAX_BYTES >= 32

using Words = hn::CappedTag<std::uint32_t, 16>;
using Word = hn::Vec<Words>;
constexpr std::size_t kLanes = hn::MaxLanes(Words());
constexpr std::size_t kTables = static_cast<std::size_t>(LookupTable::kMostWords) / kLanes;

HWY_INLINE Word look_up(const std::array<Word, kTables>& tables, Word index) {
  const Words d;
  const auto lane = hn::IndicesFromVec(d, hn::And(index, hn::Set(d, kLanes - 1)));
  Word found = hn::TableLookupLanes(tables[0], lane);
  for (std::size_t t = 1; t < kTables; ++t) {
    const auto before = hn::Lt(index, hn::Set(d, static_cast<std::uint32_t>(t * kLanes)));
    found = hn::IfThenElse(before, found, hn::TableLookupLanes(tables[t], lane));
  }
  return found;
}

template <class T>
void copy_found(void* target, const void* source, const std::int64_t*, const std::int64_t* source_offset,
                std::int64_t count, std::int64_t) {
  const Words d;
  const hn::Repartition<std::uint64_t, Words> wide;
  const auto* words = static_cast<const std::uint32_t*>(source);
  auto* to = static_cast<std::byte*>(target);
  std::array<Word, kTables> tables;
  for (std::size_t t = 0; t < kTables; ++t) tables[t] = hn::LoadU(d, words + t * kLanes);
  constexpr auto kStep = static_cast<std::int64_t>(kLanes);
  std::int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    const auto* offsets = reinterpret_cast<const std::uint64_t*>(source_offset + i);
    const auto low = hn::BitCast(d, hn::LoadU(wide, offsets));
    const auto high = hn::BitCast(d, hn::LoadU(wide, offsets + kLanes / 2));
    const Word found = look_up(tables, hn::ConcatEven(d, high, low));
    const hn::Rebind<T, Words> narrow;
    auto* out = reinterpret_cast<T*>(to + i * static_cast<std::int64_t>(sizeof(T)));
    if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
      hn::StoreU(found, narrow, out);
    } else {
      hn::StoreU(hn::TruncateTo(narrow, found), narrow, out);
    }
  }
  for (; i < count; ++i) {
    const auto element = static_cast<T>(words[source_offset[i]]);
    std::memcpy(to + i * static_cast<std::int64_t>(sizeof(T)), &element, sizeof element);
  }
}

Kernel choose_words(std::int64_t width, std::int64_t count) {
  if (count > LookupTable::kMostWords) return nullptr;
  return width == 2 ? &copy_found<std::uint16_t> : width == 4 ? &copy_found<std::uint32_t> : nullptr;
}

#else

Kernel choose_words(std::int64_t, std::int64_t) { return nullptr; }

#endif

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && !HWY_HAVE_SCALABLE

using Bytes = hn::ScalableTag<std::uint8_t>;
using Byte = hn::Vec<Bytes>;
constexpr auto kBytes = static_cast<std::int64_t>(hn::MaxLanes(Bytes()));
constexpr std::int64_t kBlock = 16;  // bytes of one shuffle's table

// Loads the low bytes of the next offsets, one for each lane of a vector.
HWY_INLINE Byte low_bytes(const std::int64_t* offset) {
  const hn::Repartition<std::uint64_t, Bytes> d64;
  const hn::Repartition<std::uint32_t, Bytes> d32;
  const hn::Repartition<std::uint16_t, Bytes> d16;
  const auto* from = reinterpret_cast<const std::uint64_t*>(offset);
  constexpr std::size_t kEach = kBytes / 8;
  const auto words = [&](std::size_t i) HWY_ATTR {
    return hn::BitCast(d16, hn::ConcatEven(d32, hn::BitCast(d32, hn::LoadU(d64, from + (i + 1) * kEach)),
                                           hn::BitCast(d32, hn::LoadU(d64, from + i * kEach))));
  };
  const auto low = hn::BitCast(Bytes(), hn::ConcatEven(d16, words(2), words(0)));
  const auto high = hn::BitCast(Bytes(), hn::ConcatEven(d16, words(6), words(4)));
  return hn::ConcatEven(Bytes(), high, low);
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
constexpr std::int64_t kMost = LookupTable::kMostBytes;

template <std::int64_t kEntries>
HWY_INLINE Byte find_bytes(const std::uint8_t* table, Byte index) {
  const auto part = [&](std::int64_t i) HWY_ATTR { return hn::LoadU(Bytes(), table + i * kBytes).raw; };
  if constexpr (kEntries <= kBytes) return Byte{_mm512_permutexvar_epi8(index.raw, part(0))};
  const Byte low{_mm512_permutex2var_epi8(part(0), index.raw, part(1))};
  if constexpr (kEntries <= 2 * kBytes) return low;
  const Byte high{_mm512_permutex2var_epi8(part(2), index.raw, part(3))};
  return hn::IfThenElse(hn::MaskFromVec(index), high, low);
}
#else
// Maximum size of a table in bytes. At this size, a lookup takes one instruction per element. A lookup in a larger
// table would hardly be faster than two loads and a store.
constexpr std::int64_t kMost = std::min(kBlock * kBytes / 4, LookupTable::kMostBytes);

// A shuffle returns 0 for an index whose highest bit is set. The addition sets that bit of each index outside the
// block.
template <std::int64_t kEntries>
HWY_INLINE Byte find_bytes(const std::uint8_t* table, Byte index) {
  const Bytes d;
  Byte found = hn::Zero(d);
  for (std::int64_t at = 0; at < kEntries; at += kBlock) {
    const auto here = hn::Sub(index, hn::Set(d, static_cast<std::uint8_t>(at)));
    const auto chosen = hn::SaturatedAdd(here, hn::Set(d, 0x70));
    found = hn::Or(found, hn::TableLookupBytesOr0(hn::LoadDup128(d, table + at), chosen));
  }
  return found;
}
#endif

template <std::int64_t kEntries>
void copy_bytes(void* target, const void* source, const std::int64_t*, const std::int64_t* source_offset,
                std::int64_t count, std::int64_t) {
  const auto* table = static_cast<const std::uint8_t*>(source);
  auto* to = static_cast<std::uint8_t*>(target);
  std::int64_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    hn::StoreU(find_bytes<kEntries>(table, low_bytes(source_offset + i)), Bytes(), to + i);
  }
  for (; i < count; ++i) to[i] = table[source_offset[i]];
}

Kernel choose_bytes(std::int64_t count) {
  if (count > kMost) return nullptr;
  if (count <= 2 * kBlock) return &copy_bytes<2 * kBlock>;
  if (count <= 4 * kBlock) return &copy_bytes<4 * kBlock>;
  if (count <= 8 * kBlock) return &copy_bytes<std::min(8 * kBlock, kMost)>;
  return &copy_bytes<kMost>;
}

#else

Kernel choose_bytes(std::int64_t) { return nullptr; }

#endif

Kernel choose_kernel(std::int64_t width, std::int64_t count) {
  return width == 1 ? choose_bytes(count) : choose_words(width, count);
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_kernel);
Kernel lookup_kernel(std::int64_t width, std::int64_t count) noexcept {
  return HWY_DYNAMIC_DISPATCH(choose_kernel)(width, count);
}

LookupTable::LookupTable(const void* elements, std::int64_t count, std::int64_t width) noexcept {
  const std::int64_t step = width == 1 ? 1 : kWordBytes;
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(bytes_.data() + i * step, static_cast<const std::byte*>(elements) + i * width,
                static_cast<std::size_t>(width));
  }
}
}  // namespace strew
#endif
