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
    const auto sum = hn::Set(one, sums[0]);
    const auto nan = hn::Set(one, std::numeric_limits<Wide>::quiet_NaN());
    T result;
    V::store(one, hn::IfThenElse(hn::IsNaN(sum), nan, sum), &result);
    return result;
  }

  static void run(const EdgeDot& call, Range targets) {
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
          output[head] = dot(one + std::int64_t{call.source[i]} * row + head * call.columns,
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
