// One step of fused gather-scatter: computes the message of an edge and folds it into the target's accumulators.
#if defined(STREW_EDGE_STEP_INL_H) == defined(HWY_TARGET_TOGGLE)  // once for each instruction set
#ifdef STREW_EDGE_STEP_INL_H
#undef STREW_EDGE_STEP_INL_H
#else
#define STREW_EDGE_STEP_INL_H
#endif

#include <hwy/highway.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernel/edge/edge_kernels.h"
#include "kernel/edge/edge_rows-inl.h"
#include "kernel/element_math.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T>
using Word = std::conditional_t<sizeof(Wide<T>) == 8, std::int64_t, std::int32_t>;

// The neutral element of the reduction.
template <class T>
Wide<T> neutral(const EdgeFold& call) {
  constexpr Wide<T> kInfinite = std::numeric_limits<Wide<T>>::infinity();
  if (call.reduction == Reduction::kMax) return -kInfinite;
  if (call.reduction == Reduction::kMin) return kInfinite;
  return call.reduction == Reduction::kMul ? 1 : 0;
}

template <class D>
HWY_INLINE hn::Vec<D> canonical(D d, hn::Vec<D> value) {
  const auto nan = hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN());
  return hn::IfThenElse(hn::IsNaN(value), nan, value);
}

// The weight and the addend of an edge for a run of columns of one head.
template <class T>
struct RowTerms {
  const T* weight = nullptr;  // of the first column of the run, or of all columns; nullptr: none
  const T* addend = nullptr;

  template <class D>
  HWY_INLINE hn::Vec<D> weighted(D d, const EdgeFold& call, hn::Vec<D> value, std::int64_t j) const {
    using V = EdgeVectors<T>;
    if (weight == nullptr) return value;
    const auto factor = call.weight.per_column ? V::load(d, weight + j) : V::set(d, *weight);
    return V::rounded(d, hn::Mul(value, factor));
  }

  template <class D>
  HWY_INLINE hn::Vec<D> message(D d, const EdgeFold& call, const T* row, std::int64_t j) const {
    using V = EdgeVectors<T>;
    auto value = weighted(d, call, V::load(d, row + j), j);
    if (addend != nullptr) {
      const auto term = call.addend.per_column ? V::load(d, addend + j) : V::set(d, *addend);
      value = V::rounded(d, hn::Add(value, term));
    }
    // relu does not change -0 or NaN.
    if (call.relu) value = hn::IfThenElse(hn::Lt(value, hn::Zero(d)), hn::Zero(d), value);
    return value;
  }
};

template <class T>
HWY_INLINE RowTerms<T> terms_at(const EdgeFold& call, std::int64_t i, std::int64_t head, std::int64_t column) {
  return {term_at<T>(call.weight, i, head, column), term_at<T>(call.addend, i, head, column)};
}

// The rows of an EdgeMask, from the first column of the run on.
template <class T>
struct MaskRows {
  const T* data = nullptr;
  const T* result = nullptr;
  const Word<T>* winners = nullptr;

  // Selects the elements whose message is positive or NaN (if relu is set), equals `result` (unless it is nullptr)
  // and is the winner (unless `winners` is nullptr).
  template <class D>
  HWY_INLINE hn::Mask<D> passes(D d, const EdgeFold& call, const RowTerms<T>& terms, std::int64_t number,
                                std::int64_t j) const {
    auto passing = hn::Eq(hn::Zero(d), hn::Zero(d));
    if (call.relu || result != nullptr) {
      const auto message = terms.message(d, call, data, j);
      if (call.relu) passing = hn::Not(hn::Le(message, hn::Zero(d)));
      if (result != nullptr) {
        const auto wanted = EdgeVectors<T>::load(d, result + j);
        passing =
            hn::And(passing, hn::Or(hn::Eq(message, wanted), hn::And(hn::IsNaN(message), hn::IsNaN(wanted))));
      }
    }
    if (winners != nullptr) {
      const hn::Rebind<Word<T>, D> words;
      const auto first = hn::Eq(hn::LoadU(words, winners + j), hn::Set(words, static_cast<Word<T>>(number)));
      passing = hn::And(passing, hn::RebindMask(d, first));
    }
    return passing;
  }

  HWY_INLINE MaskRows from(std::int64_t column) const {
    return {data + column, result != nullptr ? result + column : nullptr,
            winners != nullptr ? winners + column : nullptr};
  }
};

// The step of one edge over a run of columns of one head.
template <class T, Form kForm>
struct Step {
  const EdgeFold& call;
  const T* row;  // from the first column of the run on
  RowTerms<T> terms;
  std::int64_t number;  // number of the edge
  Wide<T> sign;         // -0 for a minimum in the two kExtremum forms, else +0
  Wide<T> factor = 0;   // the weight of a kWeightedSum, loaded once
  MaskRows<T> mask = {};

  template <class D>
  HWY_INLINE hn::Vec<D> message(D d, std::int64_t j) const {
    using V = EdgeVectors<T>;
    if constexpr (kForm == Form::kAny) return terms.message(d, call, row, j);
    const auto value = V::load(d, row + j);
    if constexpr (kForm == Form::kWeightedSum) return V::rounded(d, hn::Mul(value, hn::Set(d, factor)));
    if constexpr (kForm == Form::kMasked) {
      const auto share = hn::IfThenElseZero(mask.passes(d, call, terms, number, j), value);
      return terms.weighted(d, call, share, j);
    }
    if constexpr (kForm == Form::kExtremum || kForm == Form::kExtremumWinners) {
      return hn::Xor(value, hn::Set(d, sign));
    }
    return value;
  }

  template <class D>
  HWY_INLINE hn::Vec<D> fold(D d, hn::Vec<D> sum, hn::Vec<D> term) const {
    if constexpr (kForm <= Form::kMasked) {
      return round_sum(d, hn::Add(sum, term));
    } else if constexpr (kForm == Form::kExtremum || kForm == Form::kExtremumWinners) {
      return extremum<true>(d, sum, term);
    } else {
      switch (call.reduction) {
        case Reduction::kMax:
          return extremum<true>(d, sum, term);
        case Reduction::kMin:
          return extremum<false>(d, sum, term);
        case Reduction::kMul:
          return round_sum(d, hn::Mul(sum, term));
        default:
          return round_sum(d, hn::Add(sum, term));
      }
    }
  }

  template <class D>
  using Words = hn::Vec<hn::Rebind<Word<T>, D>>;

  // Folds a vector of columns, from j on, into `sum`, and sets `winner` to this edge where the sum changes.
  template <class D>
  HWY_INLINE void fold_into(D d, hn::Vec<D>& sum, Words<D>& winner, std::int64_t j) const {
    const auto result = fold(d, sum, message(d, j));
    if constexpr (kForm >= Form::kExtremumWinners) {
      // NaNs are canonical and -0 is less than +0, so the bits change exactly where a message wins.
      const hn::Rebind<Word<T>, D> words;
      const auto changed = hn::Ne(hn::BitCast(words, result), hn::BitCast(words, sum));
      winner = hn::IfThenElse(changed, hn::Set(words, static_cast<Word<T>>(number)), winner);
    }
    sum = result;
  }

  // Does the same as fold_into with accumulators in memory; `winners` may be nullptr.
  template <class D>
  HWY_INLINE void operator()(D d, Wide<T>* sums, Word<T>* winners, std::int64_t j) const {
    const hn::Rebind<Word<T>, D> words;
    auto sum = hn::LoadU(d, sums + j);
    auto winner = hn::Zero(words);
    const bool has_winners = kForm >= Form::kExtremumWinners && (kForm != Form::kAny || winners != nullptr);
    if (has_winners) winner = hn::LoadU(words, winners + j);
    fold_into(d, sum, winner, j);
    hn::StoreU(sum, d, sums + j);
    if (has_winners) hn::StoreU(winner, words, winners + j);
  }

 private:
  template <class D>
  HWY_INLINE hn::Vec<D> round_sum(D d, hn::Vec<D> value) const {
    if constexpr (EdgeVectors<T>::kNarrow) {
      if (call.round_each) return EdgeVectors<T>::rounded(d, value);
    }
    return value;
  }
};

// Returns Step::sign.
template <class T, Form kForm>
Wide<T> sign_of(Reduction reduction) {
  constexpr bool kTurns = kForm == Form::kExtremum || kForm == Form::kExtremumWinners;
  return kTurns && reduction == Reduction::kMin ? Wide<T>{-0.0F} : Wide<T>{0};
}

// Negates `value` if `sign` is -0; a second call undoes the negation. Also makes NaN canonical. If the base had
// any other NaN, a fold would change the NaN's bits, and changed bits mark a winner.
template <class D>
HWY_INLINE hn::Vec<D> turned(D d, hn::Vec<D> value, hn::TFromD<D> sign) {
  return canonical(d, hn::Xor(value, hn::Set(d, sign)));
}

// The initial accumulators of a target without a base: 0 for an extremum of no edges, else the neutral element.
template <class T>
Wide<T> beginning(const EdgeFold& call, bool empty, Wide<T> sign) {
  const Wide<T> value = empty && is_extremum(call.reduction) ? Wide<T>{0} : neutral<T>(call);
  return std::signbit(sign) ? -value : value;
}

// A vector of 16 bytes, or fewer if D is shorter.
template <class D>
using Short = hn::CappedTag<hn::TFromD<D>, HWY_MIN(16 / sizeof(hn::TFromD<D>), hn::MaxLanes(D()))>;

// Calls body(d, j) for the columns of a run: whole vectors, then Short ones, then single lanes. If kPadded,
// there are no single lanes, but the last Short vector may have unused lanes. Other widths are not used, since
// `body` is compiled for each width.
template <bool kPadded = false, class D, class Body>
HWY_INLINE void for_each_vector(D d, std::int64_t begin, std::int64_t end, const Body& body) {
  constexpr bool kOfShort = hn::MaxLanes(D()) == hn::MaxLanes(Short<D>());
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t j = begin;
  for (; kPadded && kOfShort ? j < end : j + lanes <= end; j += lanes) body(d, j);
  if constexpr (!kOfShort) {
    const auto few = static_cast<std::int64_t>(hn::Lanes(Short<D>()));
    for (; kPadded ? j < end : j + few <= end; j += few) body(Short<D>(), j);
  }
  if constexpr (!kPadded && hn::MaxLanes(D()) > 1) {
    for (; j < end; ++j) body(hn::CappedTag<hn::TFromD<D>, 1>(), j);
  }
}

// Divides sums by a number of terms that may be too large to be exact in a float.
template <class T>
HWY_NOINLINE void divide_each(T* sums, std::size_t count, std::uint64_t terms) {
  for (std::size_t i = 0; i < count; ++i) sums[i] = divide(sums[i], terms);
}

// Divides each lane as divide() does.
template <class D>
HWY_INLINE hn::Vec<D> quotient(D d, hn::Vec<D> sum, std::uint64_t terms) {
  using T = hn::TFromD<D>;
  if (sizeof(T) == 8 || terms <= kTermsInFloat) {
    return canonical(d, hn::Div(sum, hn::Set(d, static_cast<T>(terms))));
  }
  HWY_ALIGN std::array<T, hn::MaxLanes(D())> total;
  hn::Store(sum, d, total.data());
  divide_each(total.data(), hn::Lanes(d), terms);
  return hn::Load(d, total.data());
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
