// Fused gather-scatter of any call: the loop branches at each step. Processors without AVX2 run it without
// vectors.
#include "kernel/edge/edge_general.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/edge/edge_general.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "kernel/edge/edge_rows-inl.h"
#include "kernel/edge/edge_step-inl.h"
#include "kernel/edge/edge_target-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T>
struct General {
  using Tag = typename EdgeVectors<T>::Tag;
  static constexpr std::int64_t kTile = kTileBytes / static_cast<std::int64_t>(sizeof(Wide<T>));

  static void run(const EdgeFold& call, Range targets, Range columns) {
    for (std::int64_t begin = columns.begin; begin < columns.end; begin += kTile) {
      run_tile(call, targets, {begin, std::min(begin + kTile, columns.end)});
    }
  }

  static HWY_INLINE void run_tile(const EdgeFold& given, Range targets, Range columns) {
    const EdgeFold call = given;  // a copy, whose members may stay in registers
    HWY_ALIGN std::array<Wide<T>, static_cast<std::size_t>(kTile)> sums = {};
    std::array<Word<T>, static_cast<std::size_t>(kTile)> winning = {};
    Word<T>* winners = call.winners != nullptr ? winning.data() : nullptr;
    const std::int64_t last = call.start[targets.end];
    for (std::int64_t t = targets.begin; t < targets.end; ++t) {
      const Range edges = {call.start[t], call.start[t + 1]};
      begin_target<T>(given, t, edges, 0, columns, sums.data(), winners);
      for (std::int64_t i = edges.begin; i < edges.end; ++i) {
        prefetch_ahead<T, Form::kAny>(call, i, last, columns);
        const bool wide = winners != nullptr && call.start.wide;  // see first_winner
        const std::int64_t number = wide ? i - edges.begin : number_of(call, i);
        fold_edge(call, t, i, number, columns, sums.data(), winners);
      }
      end_target<T>(given, t, edges, 0, columns, sums.data(), winners);
    }
  }

  static HWY_INLINE void fold_edge(const EdgeFold& call, std::int64_t t, std::int64_t i, std::int64_t number,
                                   Range columns, Wide<T>* sums, Word<T>* winners) {
    const std::int64_t source = call.source[i];
    const T* row = static_cast<const T*>(call.data) + source * call.heads * call.columns;
    // Inlined; else each edge would rebuild the constants of rounding and each vector would test how to fold.
    for_each_run(
        call, columns,
        [&](std::int64_t head, std::int64_t begin, std::int64_t end) HWY_ATTR __attribute__((always_inline)) {
          Step<T, Form::kAny> step{call, row + begin, terms_at<T>(call, i, head, begin - head * call.columns),
                                   number, 0};
          if (call.mask.data != nullptr) step.mask = mask_rows(call, t, source).from(begin);
          Wide<T>* to = sums + (begin - columns.begin);
          Word<T>* won = winners != nullptr ? winners + (begin - columns.begin) : nullptr;
          for_each_vector(Tag(), 0, end - begin,
                          [step, to, won](auto d, std::int64_t j) HWY_ATTR { step(d, to, won, j); });
        });
  }

  // The terms of an edge between output row t and input row `other`.
  static HWY_INLINE MaskRows<T> mask_rows(const EdgeFold& call, std::int64_t t, std::int64_t other) {
    const std::int64_t row = call.heads * call.columns;
    const EdgeMask& mask = call.mask;
    return {static_cast<const T*>(mask.data) + t * row,
            mask.result != nullptr ? static_cast<const T*>(mask.result) + other * row : nullptr,
            mask.winners != nullptr ? static_cast<const Word<T>*>(mask.winners) + other * row : nullptr};
  }
};

EdgeFoldKernel choose_general(DType dtype) {
  return of_float_type<EdgeFoldKernel>(dtype, [&](auto type) { return &General<decltype(type)>::run; });
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_general);
EdgeFoldKernel general_edge_kernel(DType dtype) noexcept { return HWY_DYNAMIC_DISPATCH(choose_general)(dtype); }
}  // namespace strew
#endif
