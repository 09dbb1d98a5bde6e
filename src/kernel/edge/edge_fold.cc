// The loops of common calls of fused gather-scatter, compiled for each instruction set.
#include "kernel/edge/edge_fold.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/edge/edge_fold.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "core/arithmetic.h"
#include "kernel/edge/edge_general.h"
#include "kernel/edge/edge_rows-inl.h"
#include "kernel/edge/edge_step-inl.h"
#include "kernel/edge/edge_target-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

// Loops over whole vectors: lanes after the last column hold what follows the row, and their results are dropped.
template <class T, Form kForm>
struct Kernel {
  using V = EdgeVectors<T>;
  using Tag = typename V::Tag;
  template <std::size_t kMost>
  using Lanes =
      hn::CappedTag<Wide<T>, HWY_MIN(kMost, hn::MaxLanes(Tag()))>;   // V has one-lane vectors for some types
  static constexpr std::size_t kLeast = hn::MaxLanes(Short<Tag>());  // at the end of a row
  static constexpr std::int64_t kTile = kTileBytes / static_cast<std::int64_t>(sizeof(Wide<T>));

  static bool of_one_head(const EdgeFold& call, Range columns) {
    return columns.end - columns.begin <= call.columns - columns.begin % call.columns;
  }

  static void run(const EdgeFold& call, Range targets, Range columns) {
    const auto fits = [&](auto d) HWY_ATTR {
      if (columns.end - columns.begin > static_cast<std::int64_t>(hn::Lanes(d))) return false;
      run_vector(d, call, targets, columns);
      return true;
    };
    if (of_one_head(call, columns) &&
        (fits(Lanes<kLeast>()) || fits(Lanes<2 * kLeast>()) || fits(Lanes<4 * kLeast>()))) {
      return;
    }
    for (std::int64_t begin = columns.begin; begin < columns.end; begin += kTile) {
      run_tile(call, targets, {begin, std::min(begin + kTile, columns.end)});
    }
  }

  // A copy, whose address no function gets: the compiler then keeps its members in registers, and knows that the
  // lists are narrow.
  static HWY_INLINE EdgeFold known(EdgeFold call) {
    for (IndexList* list : {&call.start, &call.source, &call.edge, &call.weight.order}) list->wide = false;
    return call;
  }

  static HWY_NOINLINE void run_tile(const EdgeFold& given, Range targets, Range columns) {
    const EdgeFold call = known(given);
    HWY_ALIGN std::array<Wide<T>, static_cast<std::size_t>(kTile)> sums = {};
    std::array<Word<T>, static_cast<std::size_t>(kTile)> winning = {};
    std::array<T, static_cast<std::size_t>(kTile) + kLeast> tail = {};
    constexpr auto kPadded = static_cast<std::int64_t>(kLeast);
    const WholeRows<T> rows(call, columns, div_up(columns.end - columns.begin, kPadded) * kPadded, tail.data());
    Word<T>* winners = kForm == Form::kExtremumWinners ? winning.data() : nullptr;
    const Wide<T> sign = sign_of<T, kForm>(call.reduction);
    const std::int64_t last = call.start[targets.end];
    for (std::int64_t t = targets.begin; t < targets.end; ++t) {
      const Range edges = {call.start[t], call.start[t + 1]};
      begin_target<T>(given, t, edges, sign, columns, sums.data(), winners);
      for (std::int64_t i = edges.begin; i < edges.end; ++i) {
        prefetch_ahead<T, kForm>(call, i, last, columns);
        fold_edge(call, i, rows[call.source[i]], columns, sign, sums.data(), winners);
      }
      end_target<T>(given, t, edges, sign, columns, sums.data(), winners);
    }
  }

  static HWY_INLINE void fold_edge(const EdgeFold& call, std::int64_t i, const T* row, Range columns, Wide<T> sign,
                                   Wide<T>* sums, Word<T>* winners) {
    const auto fold = [&](std::int64_t head, std::int64_t begin, std::int64_t end) HWY_ATTR
        __attribute__((always_inline)) {
      const std::int64_t first = begin - columns.begin;
      const Wide<T> factor = factor_at<T, kForm>(call, i, head, begin - head * call.columns);
      const Step<T, kForm> step{call, row + first, {}, number_of(call, i), sign, factor};
      for_each_vector<true>(Tag(), 0, end - begin,
                            [step, to = sums + first, winners](auto d, std::int64_t j)
                                HWY_ATTR { step(d, to, winners, j); });
    };
    if constexpr (kForm == Form::kWeightedSum) {
      for_each_run(call, columns, fold);
    } else {
      fold(0, columns.begin, columns.end);
    }
  }

  // Columns that fit one vector of D, whose last lanes may be unused; their accumulators stay in a register.
  template <class D>
  static HWY_NOINLINE void run_vector(D d, const EdgeFold& given, Range targets, Range columns) {
    const EdgeFold call = known(given);
    const std::int64_t row = call.heads * call.columns;
    const std::int64_t head = columns.begin / call.columns;
    const std::int64_t column = columns.begin - head * call.columns;
    const std::int64_t width = columns.end - columns.begin;
    std::array<T, 2 * hn::MaxLanes(D())> tail = {};
    const WholeRows<T> rows(call, columns, static_cast<std::int64_t>(hn::Lanes(d)), tail.data());
    const T* first = static_cast<const T*>(call.data) + columns.begin;
    const T* base = call.base != nullptr ? static_cast<const T*>(call.base) + columns.begin : nullptr;
    T* output = static_cast<T*>(call.output) + columns.begin;
    const hn::Rebind<Word<T>, D> words;
    const Wide<T> sign = sign_of<T, kForm>(call.reduction);
    const std::int64_t last = call.start[targets.end];
    for (std::int64_t t = targets.begin; t < targets.end; ++t) {
      const Range edges = {call.start[t], call.start[t + 1]};
      auto sum = hn::Set(d, beginning<T>(call, edges.begin == edges.end, sign));
      if (base != nullptr) sum = turned(d, load_part(d, base + t * row, width), sign);
      auto winner = hn::Set(words, first_winner<T>(call, edges));
      for (std::int64_t i = edges.begin; i < edges.end; ++i) {
        if (call.ahead != 0) {
          prefetch_line(first + call.source[i + call.ahead] * row, width);
          if (kForm == Form::kWeightedSum && i + call.ahead < last) {
            prefetch_term<T>(call.weight, i + call.ahead, 1);
          }
        }
        const Wide<T> factor = factor_at<T, kForm>(call, i, head, column);
        const Step<T, kForm> step{call, rows[call.source[i]], {}, number_of(call, i), sign, factor};
        step.fold_into(d, sum, winner, 0);
      }
      if constexpr (kForm == Form::kExtremumWinners) {
        HWY_ALIGN std::array<Word<T>, hn::MaxLanes(D())> winning = {};
        hn::StoreU(winner, words, winning.data());
        store_winners<T>(given, t, columns, winning.data());
      }
      if constexpr (kForm <= Form::kWeightedSum) {
        const bool divides = call.reduction == Reduction::kMean && edges.end > edges.begin;
        if (divides) sum = quotient(d, sum, terms_of(call, edges));
      }
      store_part(d, turned(d, sum, sign), output + t * row, width);
    }
  }

  // Columns that lie in one or two cache lines.
  static HWY_INLINE void prefetch_line(const T* row, std::int64_t width) {
    __builtin_prefetch(row, 0, 2);
    __builtin_prefetch(row + width - 1, 0, 2);
  }

  // A partial vector: nothing may be read or written after its columns.
  template <class D>
  static HWY_INLINE hn::Vec<D> load_part(D d, const T* from, std::int64_t width) {
    if (hn::MaxLanes(D()) == 1 || width == static_cast<std::int64_t>(hn::Lanes(d))) return V::load(d, from);
    std::array<T, hn::MaxLanes(D())> part = {};
    std::copy_n(from, width, part.data());
    return V::load(d, part.data());
  }
  template <class D>
  static HWY_INLINE void store_part(D d, hn::Vec<D> value, T* to, std::int64_t width) {
    if (hn::MaxLanes(D()) == 1 || width == static_cast<std::int64_t>(hn::Lanes(d))) return V::store(d, value, to);
    if constexpr (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !V::kNarrow) {
      hn::BlendedStore(value, hn::FirstN(d, static_cast<std::size_t>(width)), d, to);
    } else {
      std::array<T, hn::MaxLanes(D())> part;
      V::store(d, value, part.data());
      std::copy_n(part.data(), width, to);
    }
  }
};

template <class T>
EdgeFoldKernel choose_of(const EdgeFold& call) {
  constexpr std::size_t kLeast = Kernel<T, Form::kSum>::kLeast;
  if constexpr (kLeast > 1) {  // without vectors the loop for any call is as fast
    const Form form = form_of(call);
    const bool has_whole_heads = call.heads == 1 || call.columns % static_cast<std::int64_t>(kLeast) == 0;
    if (form == Form::kSum) return &Kernel<T, Form::kSum>::run;
    if (form == Form::kWeightedSum && has_whole_heads) return &Kernel<T, Form::kWeightedSum>::run;
    if constexpr (!EdgeVectors<T>::kNarrow) {
      if (form == Form::kExtremum) return &Kernel<T, Form::kExtremum>::run;
      if (form == Form::kExtremumWinners) return &Kernel<T, Form::kExtremumWinners>::run;
    }
  }
  return nullptr;
}

EdgeFoldKernel choose_edge_fold(DType dtype, const EdgeFold& call) {
  if (call.start.wide) return nullptr;
  return of_float_type<EdgeFoldKernel>(dtype, [&](auto type) { return choose_of<decltype(type)>(call); });
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_edge_fold);
EdgeFoldKernel edge_fold_kernel(DType dtype, const EdgeFold& call) noexcept {
  const EdgeFoldKernel common = HWY_DYNAMIC_DISPATCH(choose_edge_fold)(dtype, call);
  return common != nullptr ? common : general_edge_kernel(dtype);
}
}  // namespace strew
#endif
