// Dot products along edges, compiled once for each instruction set.
#include "kernel/edge/edge_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/edge/edge_dot.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "core/prefetch.h"
#include "kernel/edge/edge_dot-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T>
struct DotLoops {
  using Rows = Dot<T>;
  using V = typename Rows::V;
  using Wide = typename Rows::Wide;
  static constexpr std::size_t kLanes = Rows::kLanes;

  template <std::size_t kWidth>
  static bool runs_in_register(const EdgeDot& call, Range targets) {
    using D = hn::CappedTag<Wide, HWY_MIN(kWidth, hn::MaxLanes(typename V::Tag()))>;
    if constexpr (HWY_HAVE_SCALABLE || hn::MaxLanes(D()) != kWidth || kWidth > kLanes) return false;
    const auto width = static_cast<std::int64_t>(kWidth);
    if (kWidth == kLanes ? call.columns % width != 0 : call.columns != width) return false;
    run_with<false>(call, targets, Rows::template InRegister<D>::dot);
    return true;
  }

  static void run(const EdgeDot& call, Range targets) {
    if (call.start.wide) return run_with<true>(call, targets, Rows::dot);
    if (runs_in_register<1>(call, targets) || runs_in_register<2>(call, targets) ||
        runs_in_register<4>(call, targets) || runs_in_register<8>(call, targets) ||
        runs_in_register<16>(call, targets)) {
      return;
    }
    run_with<false>(call, targets, Rows::dot);
  }

  template <bool kWide, class DotOf>
  static HWY_INLINE void run_with(const EdgeDot& given, Range targets, const DotOf& dot_of) {
    EdgeDot call = given;
    call.start.wide = call.source.wide = call.edge.wide = kWide;
    const std::int64_t row = call.heads * call.columns;
    const auto* one = static_cast<const T*>(call.one);
    const auto* other = static_cast<const T*>(call.other);
    for (std::int64_t t = targets.begin; t < targets.end; ++t) {
      for (std::int64_t i = call.start[t]; i < call.start[t + 1]; ++i) {
        if (call.ahead_edges > 0) {
          const T* next = one + std::int64_t{call.source[i + call.ahead_edges]} * row;
          prefetch_to_l2(reinterpret_cast<const std::byte*>(next), row * static_cast<std::int64_t>(sizeof(T)));
        }
        const std::int64_t number = call.edge ? call.edge[i] : i;
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
  return of_float_type<EdgeDotKernel>(dtype, [&](auto type) { return &DotLoops<decltype(type)>::run; });
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
