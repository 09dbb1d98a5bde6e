// Dot products of rows, in the same order of summation on every instruction set.
#if defined(STREW_EDGE_DOT_INL_H) == defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef STREW_EDGE_DOT_INL_H
#undef STREW_EDGE_DOT_INL_H
#else
#define STREW_EDGE_DOT_INL_H
#endif

#include <hwy/highway.h>

#include <array>
#include <cstdint>
#include <limits>

#include "kernel/edge/edge_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T>
struct Dot {
  using V = EdgeVectors<T>;
  using Wide = typename V::Wide;
  static constexpr std::size_t kLanes = 64 / sizeof(Wide);
  using Sums = std::array<Wide, kLanes>;
  using Tag = hn::CappedTag<Wide, HWY_MIN(kLanes, hn::MaxLanes(typename V::Tag()))>;

  static T rounded(Wide sum) {
    const hn::CappedTag<Wide, 1> one;
    const auto nan = hn::Set(one, std::numeric_limits<Wide>::quiet_NaN());
    const auto value = hn::Set(one, sum);
    T result;
    V::store(one, hn::IfThenElse(hn::IsNaN(value), nan, value), &result);
    return result;
  }

  static HWY_INLINE T dot(const T* a, const T* b, std::int64_t count) {
    const Tag d;
    const std::size_t width = hn::Lanes(d);
    alignas(64) Sums sums{};
    std::int64_t j = 0;
    for (; j + static_cast<std::int64_t>(kLanes) <= count; j += static_cast<std::int64_t>(kLanes)) {
      for (std::size_t lane = 0; lane < kLanes; lane += width) {
        const auto at = j + static_cast<std::int64_t>(lane);
        const auto product = hn::Mul(V::load(d, a + at), V::load(d, b + at));
        hn::Store(hn::Add(hn::Load(d, sums.data() + lane), product), d, sums.data() + lane);
      }
    }
    const hn::CappedTag<Wide, 1> one;
    for (std::size_t lane = 0; j < count; ++j, ++lane) {
      sums[lane] += hn::GetLane(V::load(one, a + j)) * hn::GetLane(V::load(one, b + j));
    }
    for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    }
    return rounded(sums[0]);
  }

  // Adds the upper half of the lanes to the lower half until one lane is left.
  template <class D>
  static HWY_INLINE Wide tree([[maybe_unused]] D d, hn::Vec<D> sums) {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (hn::MaxLanes(D()) > 1) {
      const hn::Half<D> half;
      return tree(half, hn::Add(hn::LowerHalf(half, sums), hn::UpperHalf(half, sums)));
    }
#endif
    return hn::GetLane(sums);
  }

  // Computes the same bits as `dot` in a register, for rows of whole kLanes vectors or of one narrower vector.
  template <class D>
  struct InRegister {
    static HWY_INLINE T dot(const T* a, const T* b, std::int64_t count) {
      const D d;
      auto sums = hn::Zero(d);
      for (std::int64_t j = 0; j < count; j += static_cast<std::int64_t>(hn::Lanes(d))) {
        sums = hn::Add(sums, hn::Mul(V::load(d, a + j), V::load(d, b + j)));
      }
      return rounded(tree(d, sums));
    }
  };
};

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
