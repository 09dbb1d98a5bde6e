// Loops over index values, compiled and vectorised once for each instruction set.
#include "index/scan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/scan.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)  // no faster here than SSE2 and AVX3
#include <hwy/foreach_target.h>                         // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>

#include "index/index_value.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

// Sets the sign bit of `out_of_bounds` if the value is out of range.
template <class Index>
HWY_INLINE std::int64_t offset_of(Index index, const IndexComponent& component, std::uint64_t& out_of_bounds) {
  const std::int64_t front = from_front(index, component.from_end);
  const auto coordinate = static_cast<std::uint64_t>(front);
  const auto extent = static_cast<std::uint64_t>(component.extent);
  const bool inside = coordinate < extent;
  out_of_bounds |= coordinate | (extent - 1 - coordinate);
  return (inside ? front : 0) * component.stride;
}

// The leading columns of a tile whose offsets have been written.
struct TileColumns {
  std::int64_t count = 0;
  bool inside = true;  // all their values are in range
};

#if HWY_TARGET != HWY_SCALAR

// Writes the offsets of the columns that fill whole vectors. A vector has at most kLanes columns.
template <std::size_t kLanes, class Index>
HWY_INLINE TileColumns tile_vectors(const IndexTile& tile, std::int64_t* HWY_RESTRICT offsets) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<std::int64_t, kLanes> d;
  const hn::RepartitionToNarrow<decltype(d)> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  const hn::RebindToUnsigned<decltype(d)> unsigned_tag;
  const auto extent = hn::Set(unsigned_tag, static_cast<std::uint64_t>(tile.axis.extent));
  const auto from_end = hn::Set(d, tile.axis.from_end);
  const auto stride = hn::BitCast(narrow, hn::Set(d, tile.axis.stride));
  const auto lanes_on = hn::Set(d, lanes * tile.column_step_elements);
  alignas(64) std::int64_t steps[8];
  for (std::int64_t i = 0; i < lanes; ++i) steps[i] = i * tile.column_step_elements;
  const auto first_columns = hn::Load(d, steps);
  auto all_inside = hn::Eq(zero, zero);
  const std::int64_t done = tile.columns / lanes * lanes;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const Index* row = reinterpret_cast<const Index*>(tile.first) + r * tile.row_stride_values;
    const Index* ahead = row + tile.ahead_values;
    std::int64_t* to = offsets + r * tile.columns;
    auto column = hn::Add(first_columns, hn::Set(d, tile.base + r * tile.row_step_elements));
    for (std::int64_t c = 0; c < done; c += lanes) {
      // Prefetches to L2 only: fetches into L1 would delay loads (9.5 ms instead of 7.6 ms for 4 Mi elements).
      __builtin_prefetch(ahead + c, 0, 2);
      auto value = [&]() HWY_ATTR {
        if constexpr (sizeof(Index) == 8) {
          return hn::LoadU(d, row + c);
        } else {
          return hn::PromoteTo(d, hn::LoadU(hn::Rebind<Index, decltype(d)>(), row + c));
        }
      }();
      value = hn::Add(value, hn::IfThenElseZero(hn::Lt(value, zero), from_end));
      const auto inside = hn::RebindMask(d, hn::Lt(hn::BitCast(unsigned_tag, value), extent));
      all_inside = hn::And(all_inside, inside);
      value = hn::IfThenElseZero(inside, value);
      // Both factors are below 2^31.
      const auto coordinate = hn::MulEven(hn::BitCast(narrow, value), stride);
      hn::StoreU(hn::Add(coordinate, column), d, to + c);
      column = hn::Add(column, lanes_on);
    }
  }
  return {done, hn::AllTrue(d, all_inside)};
}

#else

template <std::size_t kLanes, class Index>
HWY_INLINE TileColumns tile_vectors(const IndexTile&, std::int64_t*) {
  return {};
}

#endif

// Index is int32 or int64.
template <class Index>
bool tile_offsets(const IndexTile& tile, std::int64_t* HWY_RESTRICT offsets) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Index));
  TileColumns done;
  if (reinterpret_cast<std::uintptr_t>(tile.first) % sizeof(Index) == 0) {
    if (tile.columns >= 8) {
      done = tile_vectors<8, Index>(tile, offsets);
    } else if (tile.columns >= 4) {
      done = tile_vectors<4, Index>(tile, offsets);
    } else if (tile.columns >= 2) {
      done = tile_vectors<2, Index>(tile, offsets);
    }
  }
  if (done.count == tile.columns) return done.inside;
  std::uint64_t out_of_bounds = 0;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const std::byte* HWY_RESTRICT row = tile.first + r * tile.row_stride_values * kWidth;
    const std::int64_t base = tile.base + r * tile.row_step_elements;
    __builtin_prefetch(row + tile.ahead_values * kWidth, 0, 2);
    for (std::int64_t c = done.count; c < tile.columns; ++c) {
      offsets[r * tile.columns + c] = base + c * tile.column_step_elements +
                                      offset_of(load_index<Index>(row + c * kWidth), tile.axis, out_of_bounds);
    }
  }
  done.inside &= static_cast<std::int64_t>(out_of_bounds) >= 0;
  return done.inside;
}

// Calls `loop(stride)`. The common strides 1 and 2 are compile-time constants, so that the loop vectorises.
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
    // With a negative stride, the loop reads the values in reverse order.
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

// Resolves index values with the loop for kDrop. Serves all types but int32 and int64, which have their own loop.
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
