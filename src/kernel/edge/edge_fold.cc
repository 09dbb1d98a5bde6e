// The loops of fused gather-scatter, compiled for each instruction set.
#include "kernel/edge/edge_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/edge/edge_fold.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "core/size.h"
#include "kernel/edge/edge_rows-inl.h"
#include "kernel/edge/edge_step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T>
struct Kernel {
  using V = EdgeVectors<T>;
  using Tag = typename V::Tag;
  template <std::size_t kMost>
  using Lanes =
      hn::CappedTag<Wide<T>, HWY_MIN(kMost, hn::MaxLanes(Tag()))>;   // some types have vectors of only one lane
  static constexpr std::size_t kLeast = hn::MaxLanes(Short<Tag>());  // lanes of the vectors at the end of a row
  static constexpr std::int64_t kTile = kTileBytes / static_cast<std::int64_t>(sizeof(Wide<T>));

  template <Form kForm>
  static constexpr bool kPlain = (kForm != Form::kAny) && (kForm != Form::kMasked);

  static bool of_one_head(const EdgeFold& call, Range columns) {
    return columns.end - columns.begin <= call.columns - columns.begin % call.columns;
  }

  template <Form kForm>
  static void run(const EdgeFold& call, Range targets, Range columns) {
    if constexpr (kPlain<kForm>) {
      const auto fits = [&](auto d) HWY_ATTR {
        if (columns.end - columns.begin > static_cast<std::int64_t>(hn::Lanes(d))) return false;
        run_vector<kForm>(d, call, targets, columns);
        return true;
      };
      if (of_one_head(call, columns) &&
          (fits(Lanes<kLeast>()) || fits(Lanes<2 * kLeast>()) || fits(Lanes<4 * kLeast>()))) {
        return;
      }
    }
    for (std::int64_t begin = columns.begin; begin < columns.end; begin += kTile) {
      run_tile<kForm>(call, targets, {begin, std::min(begin + kTile, columns.end)});
    }
  }

  // Returns a copy whose address is not passed to any function, so that the compiler keeps its members in
  // registers. If kPlain, the copy also tells the compiler that no IndexList is wide.
  template <Form kForm>
  static HWY_INLINE EdgeFold known(EdgeFold call) {
    if constexpr (kPlain<kForm>) {
      for (IndexList* list : {&call.start, &call.source, &call.edge, &call.weight.order}) list->wide = false;
    }
    return call;
  }

  template <Form kForm>
  static HWY_NOINLINE void run_tile(const EdgeFold& given, Range targets, Range columns) {
    const EdgeFold call = known<kForm>(given);
    HWY_ALIGN std::array<Wide<T>, static_cast<std::size_t>(kTile)> sums = {};
    std::array<Word<T>, static_cast<std::size_t>(kTile)> winning = {};
    std::array<T, static_cast<std::size_t>(kTile) + kLeast> tail = {};
    constexpr auto kPadded = static_cast<std::int64_t>(kLeast);
    const WholeRows<T> rows(call, columns, div_up(columns.end - columns.begin, kPadded) * kPadded, tail.data());
    Word<T>* winners = kForm >= Form::kExtremumWinners && call.winners != nullptr ? winning.data() : nullptr;
    const Wide<T> sign = sign_of<T, kForm>(call.reduction);
    const std::int64_t last = call.start[targets.end];
    for (std::int64_t t = targets.begin; t < targets.end; ++t) {
      const std::int64_t begin = call.start[t];
      const std::int64_t end = call.start[t + 1];
      begin_target(call, t, sign, columns, sums.data(), winners);
      for (std::int64_t i = begin; i < end; ++i) {
        prefetch_ahead<T, kForm>(call, i, last, columns);
        fold_edge<kForm>(call, t, i, rows[call.source[i]], columns, sign, sums.data(), winners);
      }
      end_target(call, t, sign, columns, sums.data());
      if (winners != nullptr) store_winners(given, t, columns, winners);
    }
  }

  // Folds columns that fit in one vector of D, whose last lanes may be unused. Accumulators stay in a register.
  template <Form kForm, class D>
  static HWY_NOINLINE void run_vector(D d, const EdgeFold& given, Range targets, Range columns) {
    const EdgeFold call = known<kForm>(given);
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
      const std::int64_t begin = call.start[t];
      const std::int64_t end = call.start[t + 1];
      auto sum = hn::Set(d, beginning<T>(call, begin == end, sign));
      if (base != nullptr) sum = turned(d, load_part(d, base + t * row, width), sign);
      auto winner = hn::Set(words, first_winner(call, begin, end));
      for (std::int64_t i = begin; i < end; ++i) {
        if (call.ahead_edges != 0) {
          prefetch_line(first + call.source[i + call.ahead_edges] * row, width);
          if (kForm == Form::kWeightedSum && i + call.ahead_edges < last) {
            prefetch_term<T>(call.weight, i + call.ahead_edges, 1);
          }
        }
        const Wide<T> factor = factor_at<T, kForm>(call, i, head, column);
        const Step<T, kForm> step{call, rows[call.source[i]], {}, number_of(call, i), sign, factor};
        step.fold_into(d, sum, winner, 0);
      }
      if constexpr (kForm >= Form::kExtremumWinners) {
        HWY_ALIGN std::array<Word<T>, hn::MaxLanes(D())> winning = {};
        hn::StoreU(winner, words, winning.data());
        store_winners(given, t, columns, winning.data());
      }
      if (kForm <= Form::kWeightedSum && call.reduction == Reduction::kMean && end > begin)
        sum = quotient(d, sum, terms_of(call, end - begin));
      store_part(d, turned(d, sum, sign), output + t * row, width);
    }
  }

  // Prefetches columns that lie in one or two cache lines.
  static HWY_INLINE void prefetch_line(const T* row, std::int64_t width) {
    __builtin_prefetch(row, 0, 2);
    __builtin_prefetch(row + width - 1, 0, 2);
  }

  // load_part and store_part do not access memory after the `width` columns of a partial vector.
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

  // Number of terms in the mean of a target with `edges` edges.
  static std::uint64_t terms_of(const EdgeFold& call, std::int64_t edges) {
    return static_cast<std::uint64_t>(edges + (call.base != nullptr ? 1 : 0));
  }

  template <Form kForm>
  static HWY_INLINE void fold_edge(const EdgeFold& call, std::int64_t t, std::int64_t i, const T* row,
                                   Range columns, Wide<T> sign, Wide<T>* sums, Word<T>* winners) {
    const bool wide = kForm == Form::kAny && call.start.wide;
    const std::int64_t number = wide ? i - call.start[t] : number_of(call, i);
    if (kPlain<kForm> && (kForm != Form::kWeightedSum || of_one_head(call, columns))) {
      const std::int64_t head = columns.begin / call.columns;
      const Step<T, kForm> step{
          call, row, {}, number, sign, factor_at<T, kForm>(call, i, head, columns.begin - head * call.columns)};
      return for_each_vector<true>(Tag(), 0, columns.end - columns.begin,
                                   [step, sums, winners](auto d, std::int64_t j)
                                       HWY_ATTR { step(d, sums, winners, j); });
    }
    if constexpr (kPlain<kForm> && kForm != Form::kWeightedSum) return;
    // Inlined, so that the compiler moves rounding constants and the test of the reduction out of the loops.
    for_each_run<!kPlain<kForm>>(
        call, columns,
        [&](std::int64_t head, std::int64_t begin, std::int64_t end) HWY_ATTR __attribute__((always_inline)) {
          const std::int64_t first = begin - columns.begin;
          const std::int64_t column = begin - head * call.columns;
          Step<T, kForm> step{call, row + first, {}, number, sign, factor_at<T, kForm>(call, i, head, column)};
          if constexpr (kForm == Form::kAny || kForm == Form::kMasked)
            step.terms = terms_at<T>(call, i, head, column);
          if constexpr (kForm == Form::kMasked) step.mask = mask_rows(call, t, call.source[i]).from(begin);
          Word<T>* won = winners != nullptr ? winners + first : nullptr;
          for_each_vector(Tag(), 0, end - begin, [step, to = sums + first, won](auto d, std::int64_t j) HWY_ATTR {
            step(d, to, won, j);
          });
        });
  }

  // The mask of an edge from input row `other` to output row t.
  static HWY_INLINE MaskRows<T> mask_rows(const EdgeFold& call, std::int64_t t, std::int64_t other) {
    const std::int64_t row = call.heads * call.columns;
    const EdgeMask& mask = call.mask;
    return {static_cast<const T*>(mask.data) + t * row,
            mask.result != nullptr ? static_cast<const T*>(mask.result) + other * row : nullptr,
            mask.winners != nullptr ? static_cast<const Word<T>*>(mask.winners) + other * row : nullptr};
  }

  // Stores whole vectors: `sums` and `winners` have room for elements after the last column.
  static HWY_INLINE void begin_target(const EdgeFold& call, std::int64_t t, Wide<T> sign, Range columns,
                                      Wide<T>* sums, Word<T>* winners) {
    const Tag d;
    const hn::Rebind<Word<T>, Tag> words;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t width = columns.end - columns.begin;
    if (call.base != nullptr) {
      load_base(static_cast<const T*>(call.base) + t * call.heads * call.columns + columns.begin, width, sign,
                sums);
    } else {
      const auto value = hn::Set(d, beginning<T>(call, call.start[t] == call.start[t + 1], sign));
      for (std::int64_t j = 0; j < width; j += lanes) hn::StoreU(value, d, sums + j);
    }
    if (winners == nullptr) return;
    const auto winner = hn::Set(words, first_winner(call, call.start[t], call.start[t + 1]));
    for (std::int64_t j = 0; j < width; j += lanes) hn::StoreU(winner, words, winners + j);
  }

  static HWY_NOINLINE void load_base(const T* base, std::int64_t width, Wide<T> sign, Wide<T>* sums) {
    for_each_vector(Tag(), 0, width, [=](auto d, std::int64_t j) HWY_ATTR {
      hn::StoreU(turned(d, V::load(d, base + j), sign), d, sums + j);
    });
  }

  static HWY_NOINLINE void divide_sums(Wide<T>* sums, std::int64_t width, std::uint64_t terms) {
    const Tag d;
    for (std::int64_t j = 0; j < width; j += static_cast<std::int64_t>(hn::Lanes(d)))
      hn::StoreU(quotient(d, hn::LoadU(d, sums + j), terms), d, sums + j);
  }

  static HWY_INLINE void end_target(const EdgeFold& call, std::int64_t t, Wide<T> sign, Range columns,
                                    Wide<T>* sums) {
    const std::int64_t edges = call.start[t + 1] - call.start[t];
    const std::int64_t width = columns.end - columns.begin;
    if (call.reduction == Reduction::kMean && edges > 0) divide_sums(sums, width, terms_of(call, edges));
    T* output = static_cast<T*>(call.output) + t * call.heads * call.columns + columns.begin;
    for_each_vector(Tag(), 0, width, [=](auto d, std::int64_t j) HWY_ATTR {
      V::store(d, turned(d, hn::LoadU(d, sums + j), sign), output + j);
    });
  }

  // The initial winner: -1 if the target has a base or no edges, else the first edge, since a message that equals
  // the neutral element does not set a winner. With wide lists, winners are positions among the edges of the
  // target, not edge numbers.
  static HWY_INLINE Word<T> first_winner(const EdgeFold& call, std::int64_t begin, std::int64_t end) {
    if (call.base != nullptr || begin == end) return -1;
    return call.start.wide ? 0 : static_cast<Word<T>>(number_of(call, begin));
  }

  static HWY_NOINLINE void store_winners(const EdgeFold& call, std::int64_t t, Range columns,
                                         const Word<T>* winners) {
    std::int64_t* to = call.winners + t * call.heads * call.columns + columns.begin;
    for (std::int64_t j = 0; j < columns.end - columns.begin; ++j) {
      if (call.start.wide && winners[j] >= 0) {
        to[j] = number_of(call, call.start[t] + winners[j]);
      } else {
        to[j] = winners[j] < 0 ? call.no_winner : winners[j];
      }
    }
  }

  static EdgeFoldKernel choose(const EdgeFold& call) {
    const Form form = choose_form(call);
    if (form == Form::kMasked) return &run<Form::kMasked>;
    if constexpr (HWY_TARGET != HWY_SCALAR) {
      if (call.start.wide) return &run<Form::kAny>;
      if (form == Form::kSum) return &run<Form::kSum>;
      if (form == Form::kWeightedSum) return &run<Form::kWeightedSum>;
      if (form == Form::kExtremum) return &run<Form::kExtremum>;
      if (form == Form::kExtremumWinners) return &run<Form::kExtremumWinners>;
    }
    return &run<Form::kAny>;
  }
};

EdgeFoldKernel choose_edge_fold(DType dtype, const EdgeFold& call) {
  return of_float_type<EdgeFoldKernel>(dtype, [&](auto type) { return Kernel<decltype(type)>::choose(call); });
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_edge_fold);
EdgeFoldKernel edge_fold_kernel(DType dtype, const EdgeFold& call) noexcept {
  return HWY_DYNAMIC_DISPATCH(choose_edge_fold)(dtype, call);
}
}  // namespace strew
#endif
