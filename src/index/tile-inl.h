// Offsets of a tile of index values of a matrix, for one instruction set after the other.
#if defined(STREW_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)  // once for each time that foreach_target.h includes
#ifdef STREW_TILE_INL_H
#undef STREW_TILE_INL_H
#else
#define STREW_TILE_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <type_traits>

#include "index/index_value.h"
#include "index/scan.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

constexpr std::int64_t kTileRowsAhead = 40;  // rows lie several lines apart; each value is used once

// Columns that are done.
struct TileColumns {
  std::int64_t count = 0;
  bool inside = true;  // all their values
};

#if HWY_TARGET != HWY_SCALAR

// Offsets of kLanes columns at a time, as far as they go.
template <std::size_t kLanes, class Index>
HWY_INLINE TileColumns tile_vectors(const IndexTile& tile, std::int64_t* HWY_RESTRICT offsets) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<std::int64_t, kLanes> d;
  const hn::RepartitionToNarrow<decltype(d)> narrow;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  const auto extent = hn::Set(d, tile.extent);
  const auto last = hn::Set(d, tile.extent - 1);
  auto outside = zero;  // below zero in a lane where a value was
  const auto columns = hn::BitCast(narrow, hn::Set(d, tile.columns));
  const std::int64_t done = tile.columns / lanes * lanes;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const Index* row = reinterpret_cast<const Index*>(tile.first) + r * tile.row_stride;
    for (std::int64_t c = 0; c < done; c += lanes) {
      __builtin_prefetch(row + kTileRowsAhead * tile.row_stride + c, 0, 0);
      auto value = [&]() HWY_ATTR {
        if constexpr (sizeof(Index) == 8) {
          return hn::LoadU(d, row + c);
        } else {
          return hn::PromoteTo(d, hn::LoadU(hn::Rebind<Index, decltype(d)>(), row + c));
        }
      }();
      value = hn::Add(value, hn::IfThenElseZero(hn::Lt(value, zero), extent));
      const auto inside = hn::AndNot(hn::Lt(value, zero), hn::Lt(value, extent));
      outside = hn::Or(outside, hn::Or(value, hn::Sub(last, value)));
      value = hn::IfThenElseZero(inside, value);
      // Both factors are below 2^31.
      const auto start = hn::MulEven(hn::BitCast(narrow, value), columns);
      hn::StoreU(hn::Add(start, hn::Iota(d, c)), d, offsets + r * tile.columns + c);
    }
  }
  return {done, hn::AllFalse(d, hn::Lt(outside, zero))};
}

#else

template <std::size_t kLanes, class Index>
HWY_INLINE TileColumns tile_vectors(const IndexTile&, std::int64_t*) {
  return {};
}

#endif

template <class Index>
bool tile_offsets(const IndexTile& tile, std::int64_t* HWY_RESTRICT offsets) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Index));
  TileColumns done;
  if constexpr (std::is_same_v<Index, std::int64_t> || std::is_same_v<Index, std::int32_t>) {
    if (reinterpret_cast<std::uintptr_t>(tile.first) % sizeof(Index) == 0) {
      if (tile.columns >= 8) {
        done = tile_vectors<8, Index>(tile, offsets);
      } else if (tile.columns >= 4) {
        done = tile_vectors<4, Index>(tile, offsets);
      } else if (tile.columns >= 2) {
        done = tile_vectors<2, Index>(tile, offsets);
      }
    }
  }
  if (done.count == tile.columns) return done.inside;
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const std::byte* row = tile.first + r * tile.row_stride * kWidth;
    __builtin_prefetch(row + kTileRowsAhead * tile.row_stride * kWidth, 0, 0);
    for (std::int64_t c = done.count; c < tile.columns; ++c) {
      const auto index = load_index<Index>(row + c * kWidth);
      const bool inside = in_range(index, tile.extent);
      done.inside &= inside;
      const std::int64_t value = inside ? from_front(index, tile.extent) : 0;
      offsets[r * tile.columns + c] = value * tile.columns + c;
    }
  }
  return done.inside;
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
