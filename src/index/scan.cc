// Loops over index values, compiled and vectorised once for each instruction set.
#include "index/scan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/scan.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)  // no faster here than SSE2 and AVX3
#include <hwy/foreach_target.h>                         // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "index/index_value.h"
#include "index/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

// Calls `loop(constant)` with a common stride as a compile-time constant, so that the loop vectorises.
template <class Loop>
HWY_INLINE void with_stride(std::int64_t stride, const Loop& loop) {
  if constexpr (HWY_TARGET != HWY_SCALAR) {
    if (stride == 1) return loop(std::integral_constant<std::int64_t, 1>{});
    if (stride == 2) return loop(std::integral_constant<std::int64_t, 2>{});
  }
  loop(stride);
}

template <class Index>
void bounds(const IndexValues& values, std::span<ValueBounds> all) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Index));
  for (std::size_t c = 0; c < all.size(); ++c) {
    const std::byte* first = values.first + static_cast<std::int64_t>(c) * values.component_stride_values * kWidth;
    // With a negative stride, the loop processes the values in the other direction.
    if (values.stride < 0) first += (values.count - 1) * values.stride * kWidth;
    Index lowest = std::numeric_limits<Index>::max();
    Index highest = std::numeric_limits<Index>::min();
    with_stride(std::abs(values.stride), [&](auto stride) HWY_ATTR {
      for (std::int64_t i = 0; i < values.count; ++i) {
        const auto value = load_index<Index>(first + i * stride * kWidth);
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
      }
    });
    all[c].lowest = std::min(all[c].lowest, saturated(lowest));
    all[c].highest = std::max(all[c].highest, saturated(highest));
  }
}

template <class Index>
bool resolve(const IndexValues& values, std::span<const IndexComponent> components,
             std::int64_t* HWY_RESTRICT offsets) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Index));
  std::uint64_t out_of_bounds = 0;
  for (std::size_t c = 0; c < components.size(); ++c) {
    const std::byte* HWY_RESTRICT first =
        values.first + static_cast<std::int64_t>(c) * values.component_stride_values * kWidth;
    const IndexComponent component = components[c];
    with_stride(values.stride, [&](auto stride) HWY_ATTR {
      if (c == 0) {
        for (std::int64_t i = 0; i < values.count; ++i) {
          offsets[i] = offset_of(load_index<Index>(first + i * stride * kWidth), component, out_of_bounds);
        }
      } else {
        for (std::int64_t i = 0; i < values.count; ++i) {
          offsets[i] += offset_of(load_index<Index>(first + i * stride * kWidth), component, out_of_bounds);
        }
      }
    });
  }
  return static_cast<std::int64_t>(out_of_bounds) >= 0;
}

// Resolves types without a loop of their own (all but int32 and int64) with the loop for kDrop.
template <class Index>
bool resolve_rare(const IndexValues& values, std::span<const IndexComponent> components, std::int64_t* offsets) {
  resolve_by_rules(dtype_of<Index>, OutOfBounds::kDrop)(values, components, offsets);
  bool inside = true;
  for (std::int64_t i = 0; i < values.count; ++i) {
    inside = inside && offsets[i] != kDroppedOffset;
    if (offsets[i] == kDroppedOffset) offsets[i] = 0;
  }
  return inside;
}

// Compares values as unsigned integers of their width.
template <class Index>
bool constant_rows(const std::byte* first, std::int64_t row, std::int64_t count) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Index));
  for (std::int64_t begin = 0; begin < count; begin += row) {
    const auto leading = load_index<Index>(first + begin * kWidth);
    Index different = 0;
    for (std::int64_t i = begin; i < begin + row; ++i) {
      different |= static_cast<Index>(load_index<Index>(first + i * kWidth) ^ leading);
    }
    if (different != 0) return false;
  }
  return true;
}

const IndexLoops* loops(DType dtype) {
  return visit_index_type(dtype, [](auto tag) -> const IndexLoops* {
    using Index = decltype(tag);
    constexpr auto kConstantRows = &constant_rows<std::make_unsigned_t<Index>>;
    if constexpr (std::is_same_v<Index, std::int64_t> || std::is_same_v<Index, std::int32_t>) {
      static constexpr IndexLoops kLoops{&bounds<Index>, &resolve<Index>, &tile_offsets<Index>, kConstantRows};
      return &kLoops;
    } else {
      static constexpr IndexLoops kLoops{&bounds<Index>, &resolve_rare<Index>, nullptr, kConstantRows};
      return &kLoops;
    }
  });
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(loops);
const IndexLoops& index_loops(DType dtype) noexcept { return *HWY_DYNAMIC_DISPATCH(loops)(dtype); }
}  // namespace strew
#endif
