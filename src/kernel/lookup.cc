// Gathers from a table in registers, compiled once for each instruction set.
#include "kernel/lookup.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/lookup.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE && HWY_MAX_BYTES >= 32

using Words = hn::CappedTag<std::uint32_t, 16>;
using Word = hn::Vec<Words>;
constexpr std::size_t kLanes = hn::MaxLanes(Words());
constexpr std::size_t kTables = static_cast<std::size_t>(LookupTable::kMost) / kLanes;

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

Kernel choose_kernel(std::int64_t width) {
  switch (width) {
    case 1:
      return &copy_found<std::uint8_t>;
    case 2:
      return &copy_found<std::uint16_t>;
    case 4:
      return &copy_found<std::uint32_t>;
    default:
      return nullptr;
  }
}

#else

Kernel choose_kernel(std::int64_t) { return nullptr; }

#endif

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_kernel);
Kernel lookup_kernel(std::int64_t width) noexcept { return HWY_DYNAMIC_DISPATCH(choose_kernel)(width); }

LookupTable::LookupTable(const void* elements, std::int64_t count, std::int64_t width) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(&words[static_cast<std::size_t>(i)], static_cast<const std::byte*>(elements) + i * width,
                static_cast<std::size_t>(width));
  }
}
}  // namespace strew
#endif
