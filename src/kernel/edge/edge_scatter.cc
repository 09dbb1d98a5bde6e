// Updates the output row of each edge's target, edge by edge.
#include "kernel/edge/edge_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/edge/edge_scatter.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "kernel/edge/edge_rows-inl.h"
#include "kernel/edge/edge_step-inl.h"
#include "kernel/element_math.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T>
struct Scatter {
  using V = EdgeVectors<T>;
  using Tag = typename V::Tag;
  template <std::size_t kMost>
  using Lanes = hn::CappedTag<Wide<T>, HWY_MIN(kMost, hn::MaxLanes(Tag()))>;
  static constexpr std::int64_t kChunk = 2048;  // edges; the list of their positions stays in L1

  static void run(const EdgeScatter& call, Range targets) {
    if (call.degree != nullptr) std::fill(call.degree + targets.begin, call.degree + targets.end, 0);
    if (call.reached != nullptr) std::fill(call.reached + targets.begin, call.reached + targets.end, false);
    begin_rows(call, targets);
    if (!folds_common_call(call, targets)) fold_rows<Form::kAny>(call, targets);
    end_rows(call, targets);
  }

  static bool folds_common_call([[maybe_unused]] const EdgeScatter& call, [[maybe_unused]] Range targets) {
    if constexpr (HWY_TARGET != HWY_SCALAR) {
      const Form form = call.fold.heads == 1 ? choose_form(call.fold) : Form::kAny;
      if (form == Form::kSum) return fold_all<Form::kSum>(call, targets);
      if (form == Form::kWeightedSum) return fold_all<Form::kWeightedSum>(call, targets);
      if (form == Form::kExtremum) return fold_all<Form::kExtremum>(call, targets);
    }
    return false;
  }

  static HWY_NOINLINE void begin_rows(const EdgeScatter& call, Range targets) {
    const std::int64_t row = call.fold.heads * call.fold.columns;
    T* output = static_cast<T*>(call.fold.output) + targets.begin * row;
    const std::int64_t count = (targets.end - targets.begin) * row;
    const T* base = static_cast<const T*>(call.fold.base);
    if (base != nullptr) base += targets.begin * row;
    for_each_vector(Tag(), 0, count, [&](auto d, std::int64_t j) HWY_ATTR {
      const auto start = base != nullptr ? V::load(d, base + j) : hn::Set(d, neutral<T>(call.fold));
      V::store(d, start, output + j);
    });
  }

  static HWY_NOINLINE void end_rows(const EdgeScatter& call, Range targets) {
    const std::int64_t row = call.fold.heads * call.fold.columns;
    for (std::int64_t t = targets.begin; t < targets.end; ++t) {
      T* output = static_cast<T*>(call.fold.output) + t * row;
      if (call.degree != nullptr && call.degree[t] > 0) {
        const std::uint64_t terms = std::uint64_t{call.degree[t]} + (call.fold.base != nullptr ? 1 : 0);
        for (std::int64_t j = 0; j < row; ++j) output[j] = divide(output[j], terms);
      }
      if (call.reached != nullptr && !call.reached[t]) std::fill_n(output, row, T{});
    }
    T* output = static_cast<T*>(call.fold.output) + targets.begin * row;
    for_each_vector(Tag(), 0, (targets.end - targets.begin) * row, [&](auto d, std::int64_t j) HWY_ATTR {
      V::store(d, canonical(d, V::load(d, output + j)), output + j);
    });
  }

  template <Form kForm>
  static HWY_INLINE bool fold_all(const EdgeScatter& call, Range targets) {
    const auto fits = [&](auto d) HWY_ATTR {
      if (static_cast<std::int64_t>(hn::Lanes(d)) != call.fold.columns) return false;
      fold_vectors<kForm>(d, call, targets);
      return true;
    };
    if (!fits(Lanes<1>()) && !fits(Lanes<2>()) && !fits(Lanes<4>()) && !fits(Lanes<8>()) && !fits(Lanes<16>())) {
      fold_rows<kForm>(call, targets);
    }
    return true;
  }

  // Returns a copy that the compiler keeps in registers. The assignment tells the compiler that `order` is unset
  // in both terms (see EdgeScatter), so that it compiles no lookup in `order`.
  static HWY_INLINE EdgeScatter known(EdgeScatter call) {
    call.fold.weight.order = call.fold.addend.order = {};
    return call;
  }

  // Folds rows that fill exactly one vector.
  template <Form kForm, class D>
  static HWY_NOINLINE void fold_vectors(D d, const EdgeScatter& given, Range targets) {
    const EdgeScatter call = known(given);
    const Wide<T> sign = sign_of<T, kForm>(call.fold.reduction);
    const auto row = static_cast<std::int64_t>(hn::Lanes(d));
    for_each_edge(call, targets, [&](std::int64_t e) HWY_ATTR {
      const Wide<T> factor = factor_at<T, kForm>(call.fold, e, 0, 0);
      fold_into<kForm>(d, {call.fold, data_of(call, e, row), {}, e, sign, factor}, output_of(call, e, row), 0);
    });
  }

  template <Form kForm>
  static HWY_NOINLINE void fold_rows(const EdgeScatter& given, Range targets) {
    const EdgeScatter call = known(given);
    const Wide<T> sign = sign_of<T, kForm>(call.fold.reduction);
    const std::int64_t row = call.fold.heads * call.fold.columns;
    for_each_edge(call, targets, [&](std::int64_t e) HWY_ATTR {
      const T* data = data_of(call, e, row);
      T* output = output_of(call, e, row);
      const auto fold_run = [&](std::int64_t head, std::int64_t begin, std::int64_t end) HWY_ATTR
          __attribute__((always_inline)) {
        const Step<T, kForm> step{call.fold, data + begin, terms_at<T>(call.fold, e, head, 0),
                                  e,         sign,         factor_at<T, kForm>(call.fold, e, head, 0)};
        for_each_vector(Tag(), 0, end - begin,
                        [&](auto d, std::int64_t j) HWY_ATTR { fold_into<kForm>(d, step, output + begin, j); });
      };
      if constexpr (kForm == Form::kAny) {
        for_each_run(call.fold, {0, row}, fold_run);
      } else {
        fold_run(0, 0, row);  // such a call has one head
      }
    });
  }

  template <Form kForm, class D>
  static HWY_INLINE void fold_into(D d, const Step<T, kForm>& step, T* output, std::int64_t j) {
    const auto sign = hn::Set(d, step.sign);
    const auto old = hn::Xor(V::load(d, output + j), sign);
    V::store(d, hn::Xor(step.fold(d, old, step.message(d, j)), sign), output + j);
  }

  static HWY_INLINE const T* data_of(const EdgeScatter& call, std::int64_t e, std::int64_t row) {
    return static_cast<const T*>(call.fold.data) + std::int64_t{call.source[e]} * row;
  }
  static HWY_INLINE T* output_of(const EdgeScatter& call, std::int64_t e, std::int64_t row) {
    return static_cast<T*>(call.fold.output) + std::int64_t{call.target[e]} * row;
  }

  using Own = std::array<std::uint16_t, static_cast<std::size_t>(kChunk)>;  // positions of edges in a chunk

  // Lists the edges of a chunk whose targets are among `targets`, and returns their number.
  static HWY_NOINLINE std::size_t list_own(const std::int32_t* target, std::int64_t size, Range targets,
                                           Own& own) {
    const auto lowest = static_cast<std::uint32_t>(targets.begin);
    const auto width = static_cast<std::uint32_t>(targets.end - targets.begin);
    std::size_t count = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      own[count] = static_cast<std::uint16_t>(i);
      count += static_cast<std::size_t>(static_cast<std::uint32_t>(target[i]) - lowest < width);
    }
    return count;
  }

  static HWY_NOINLINE void list_all(std::int64_t count, Own& own) {
    std::iota(own.begin(), own.begin() + std::min(kChunk, count), std::uint16_t{0});
  }

  // Calls body(e) for the edges of `targets`, in order.
  template <class Body>
  static HWY_INLINE void for_each_edge(const EdgeScatter& call, Range targets, const Body& body) {
    Own own;
    const bool all = call.all && targets.end - targets.begin == call.target_size;
    if (all) list_all(call.count, own);
    for (std::int64_t begin = 0; begin < call.count; begin += kChunk) {
      const std::int64_t size = std::min(kChunk, call.count - begin);
      const auto count = all ? static_cast<std::size_t>(size) : list_own(call.target + begin, size, targets, own);
      const auto ahead = static_cast<std::size_t>(call.fold.ahead_edges);
      for (std::size_t i = 0; i < count; ++i) {
        if (ahead > 0) prefetch(call, begin + own[std::min(i + ahead, count - 1)]);
        const std::int64_t e = begin + own[i];
        if (call.degree != nullptr) ++call.degree[call.target[e]];
        if (call.reached != nullptr) call.reached[call.target[e]] = true;
        body(e);
      }
    }
  }

  // Prefetches the data row and the output row of an edge. Each is at most a cache line long.
  static HWY_INLINE void prefetch(const EdgeScatter& call, std::int64_t e) {
    const std::int64_t row = call.fold.heads * call.fold.columns;
    __builtin_prefetch(data_of(call, e, row));
    __builtin_prefetch(output_of(call, e, row), 1);
  }
};

EdgeScatterKernel choose_edge_scatter(DType dtype) {
  return of_float_type<EdgeScatterKernel>(dtype, [&](auto type) { return &Scatter<decltype(type)>::run; });
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_edge_scatter);
EdgeScatterKernel edge_scatter_kernel(DType dtype) noexcept {
  return HWY_DYNAMIC_DISPATCH(choose_edge_scatter)(dtype);
}
}  // namespace strew
#endif
