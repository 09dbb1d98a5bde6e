// Sixteen lanes, whatever a vector holds.
#include "kernel/edge_dot.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/edge_dot.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <array>
#include <limits>

#include "core/prefetch.h"
#include "kernel/edge_vectors-inl.h"

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

  // Lanes of a vector, the upper half added to the lower until one is left.
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

  // The same sums where rows are whole vectors of kLanes, or one vector of fewer: the lanes that it lacks stay +0.
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

  template <std::size_t kWidth>
  static bool runs_in_register(const EdgeDot& call, Range targets) {
    using D = hn::CappedTag<Wide, HWY_MIN(kWidth, hn::MaxLanes(typename V::Tag()))>;
    if constexpr (HWY_HAVE_SCALABLE || hn::MaxLanes(D()) != kWidth || kWidth > kLanes) return false;
    const auto width = static_cast<std::int64_t>(kWidth);
    if (kWidth == kLanes ? call.columns % width != 0 : call.columns != width) return false;
    run_with(call, targets, InRegister<D>::dot);
    return true;
  }

  static void run(const EdgeDot& call, Range targets) {
    if (runs_in_register<1>(call, targets) || runs_in_register<2>(call, targets) ||
        runs_in_register<4>(call, targets) || runs_in_register<8>(call, targets) ||
        runs_in_register<16>(call, targets)) {
      return;
    }
    run_with(call, targets, dot);
  }

  template <class DotOf>
  static HWY_INLINE void run_with(const EdgeDot& given, Range targets, const DotOf& dot_of) {
    const EdgeDot call = given;
    const std::int64_t row = call.heads * call.columns;
    const auto* one = static_cast<const T*>(call.one);
    const auto* other = static_cast<const T*>(call.other);
    for (std::int64_t t = targets.begin; t < targets.end; ++t) {
      for (std::int64_t i = call.start[t]; i < call.start[t + 1]; ++i) {
        if (call.ahead > 0) {
          const T* next = one + std::int64_t{call.source[i + call.ahead]} * row;
          prefetch_to_l2(reinterpret_cast<const std::byte*>(next), row * static_cast<std::int64_t>(sizeof(T)));
        }
        const std::int64_t number = call.edge != nullptr ? call.edge[i] : i;
        T* output = static_cast<T*>(call.output) + number * call.heads;
        for (std::int64_t head = 0; head < call.heads; ++head) {
          output[head] = dot_of(one + std::int64_t{call.source[i]} * row + head * call.columns,
                                other + t * row + head * call.columns, call.columns);
        }
      }
    }
  }
};

EdgeDotKernel choose_edge_dot(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return &Dot<float>::run;
    case DType::kFloat64:
      return &Dot<double>::run;
    case DType::kFloat16:
      return &Dot<Float16>::run;
    case DType::kBFloat16:
      return &Dot<BFloat16>::run;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_edge_dot);
EdgeDotKernel edge_dot_kernel(DType dtype) noexcept { return HWY_DYNAMIC_DISPATCH(choose_edge_dot)(dtype); }
}  // namespace strew
#endif
