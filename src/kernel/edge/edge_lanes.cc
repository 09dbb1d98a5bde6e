// Folds several targets side by side, one in each lane of a vector.
#include "kernel/edge/edge_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/edge/edge_lanes.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernel/edge/edge_rows-inl.h"
#include "kernel/edge/edge_step-inl.h"
#include "kernel/element_math.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T, Form kForm>
struct Lanes {
  using D = hn::CappedTag<T, 16>;
  using Words = hn::Rebind<Word<T>, D>;
  using Narrow = hn::Rebind<std::int32_t, D>;
  using V = hn::Vec<D>;
  using I = hn::Vec<Words>;
  using Numbers = std::array<Word<T>, hn::MaxLanes(D())>;

  static constexpr int kStepsOfFew = 8;  // this many steps take as long as storing and reloading the lanes

  const EdgeFold& call;
  T sign;  // see Step::sign

  // Loads entries of a narrow list.
  static HWY_INLINE I take(const void* list, std::int64_t first, I at) {
    const auto* from = static_cast<const std::int32_t*>(list) + first;
    if constexpr (sizeof(T) == 4) {
      return hn::GatherIndex(Words(), from, at);
    } else {
      const auto low =
          hn::TruncateTo(hn::RebindToUnsigned<Narrow>(), hn::BitCast(hn::RebindToUnsigned<Words>(), at));
      return hn::PromoteTo(Words(), hn::GatherIndex(Narrow(), from, hn::BitCast(Narrow(), low)));
    }
  }

  // The messages of edge `first + place`, one in each lane.
  HWY_INLINE V message(std::int64_t first, I place) const {
    const D d;
    I row = place;
    const T* data = static_cast<const T*>(call.data);
    if (call.source) {
      row = take(call.source.values, first, place);
    } else {
      data += first;
    }
    V value = hn::GatherIndex(d, data, row);
    if constexpr (kForm == Form::kWeightedSum) {
      const auto* weights = static_cast<const T*>(call.weight.values);
      value = hn::Mul(value,
                      call.weight.edge == 0 ? hn::Set(d, *weights) : hn::GatherIndex(d, weights + first, place));
    }
    if constexpr (kForm >= Form::kExtremum) value = hn::Xor(value, hn::Set(d, sign));
    return value;
  }

  HWY_INLINE void fold(hn::Mask<D> active, V value, I place, V& sum, I& winner) const {
    const D d;
    const Step<T, kForm> step{call, nullptr, {}, 0, sign};
    const V result = hn::IfThenElse(active, step.fold(d, sum, value), sum);
    if constexpr (kForm == Form::kExtremumWinners) {
      const auto changed = hn::Ne(hn::BitCast(Words(), result), hn::BitCast(Words(), sum));
      winner = hn::IfThenElse(changed, place, winner);
    }
    sum = result;
  }

  // Folds `count` targets from t on: one for each lane, or fewer at the end of a task.
  HWY_INLINE void fold_group(std::int64_t t, std::int64_t count) const {
    const D d;
    const Words words;
    const I lane = hn::Iota(words, 0);
    const auto used = hn::Lt(lane, hn::Set(words, static_cast<Word<T>>(count)));
    const I own = hn::IfThenElseZero(used, lane);
    const std::int64_t first = call.start[t];
    const I begin = hn::Sub(take(call.start.values, t, own), hn::Set(words, static_cast<Word<T>>(first)));
    const I end = hn::Sub(take(call.start.values, t + 1, own), hn::Set(words, static_cast<Word<T>>(first)));
    const I length = hn::IfThenElseZero(used, hn::Sub(end, begin));
    const auto empty = hn::RebindMask(d, hn::Eq(length, hn::Zero(words)));
    V sum = hn::IfThenElse(empty, hn::Set(d, beginning<T>(call, true, sign)),
                           hn::Set(d, beginning<T>(call, false, sign)));
    HWY_ALIGN std::array<T, hn::MaxLanes(D())> row = {};
    if (call.base != nullptr) {
      std::copy_n(static_cast<const T*>(call.base) + t, count, row.data());
      sum = turned(d, hn::LoadU(d, row.data()), sign);
    }
    I winner = hn::Zero(words);
    if (call.base != nullptr) winner = hn::Set(words, Word<T>{-1});

    // If only a few lanes have edges left, finish_lanes folds these edges one by one in no more time.
    constexpr std::size_t kFew = HWY_MAX(hn::MaxLanes(D()) / 4, 1);
    int steps_of_few = 0;
    Word<T> place = 0;
    auto active = hn::Lt(hn::Zero(words), length);
    for (;;) {
      const std::size_t lanes = hn::CountTrue(words, active);
      steps_of_few += lanes < kFew ? 1 : 0;
      if (lanes == 0 || steps_of_few > kStepsOfFew) break;
      const I at = hn::IfThenElseZero(active, hn::Add(begin, hn::Set(words, place)));
      fold(hn::RebindMask(d, active), message(first, at), hn::Set(words, place), sum, winner);
      active = hn::Lt(hn::Set(words, ++place), length);
    }
    if (!hn::AllFalse(words, active)) finish_lanes(first, place, begin, length, sum, winner);

    if (call.reduction == Reduction::kMean) sum = mean_of(sum, length);
    sum = turned(d, sum, sign);
    T* output = static_cast<T*>(call.output) + t;
    if (count == static_cast<std::int64_t>(hn::Lanes(d))) {
      hn::StoreU(sum, d, output);
    } else {
      hn::StoreU(sum, d, row.data());
      std::copy_n(row.data(), count, output);
    }
    if constexpr (kForm == Form::kExtremumWinners) {
      const Numbers winning = stored(winner);
      const Numbers lengths = stored(length);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool none = winning[at] < 0 || (lengths[at] == 0 && call.base == nullptr);
        call.winners[t + i] = none ? call.no_winner : number_of(call, call.start[t + i] + winning[at]);
      }
    }
  }

  static HWY_INLINE Numbers stored(I numbers) {
    HWY_ALIGN Numbers result = {};
    hn::StoreU(numbers, Words(), result.data());
    return result;
  }

  // Folds the remaining edges of each lane, from `place` on.
  HWY_NOINLINE void finish_lanes(std::int64_t first, Word<T> place, I begin, I length, V& sum, I& winner) const {
    const D d;
    const hn::CappedTag<T, 1> one;
    const hn::CappedTag<Word<T>, 1> one_word;
    HWY_ALIGN std::array<T, hn::MaxLanes(D())> sums = {};
    hn::StoreU(sum, d, sums.data());
    HWY_ALIGN Numbers winning = stored(winner);
    const Numbers begins = stored(begin);
    const Numbers lengths = stored(length);
    for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
      auto own = hn::Set(one, sums[lane]);
      auto own_winner = hn::Set(one_word, winning[lane]);
      for (std::int64_t j = place; j < lengths[lane]; ++j) {
        const std::int64_t i = first + begins[lane] + j;
        const std::int64_t row = call.source ? call.source[i] : i;
        const Step<T, kForm> step{call, static_cast<const T*>(call.data) + row, {}, j,
                                  sign, factor_at<T, kForm>(call, i, 0, 0)};
        step.fold_into(one, own, own_winner, 0);
      }
      sums[lane] = hn::GetLane(own);
      winning[lane] = hn::GetLane(own_winner);
    }
    sum = hn::LoadU(d, sums.data());
    winner = hn::LoadU(Words(), winning.data());
  }

  HWY_INLINE V mean_of(V sum, I length) const {
    const D d;
    const I terms = call.base == nullptr ? length : hn::Add(length, hn::Set(Words(), Word<T>{1}));
    const auto none = hn::RebindMask(d, hn::Eq(length, hn::Zero(Words())));
    const auto many = hn::Gt(terms, hn::Set(Words(), static_cast<Word<T>>(kTermsInFloat)));
    if (hn::AllFalse(Words(), many)) return hn::IfThenElse(none, sum, hn::Div(sum, hn::ConvertTo(d, terms)));
    HWY_ALIGN std::array<T, hn::MaxLanes(D())> sums = {};
    hn::StoreU(sum, d, sums.data());
    const Numbers counts = stored(terms);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      if (counts[i] > 0) sums[i] = divide(sums[i], static_cast<std::uint64_t>(counts[i]));
    }
    return hn::IfThenElse(none, sum, hn::LoadU(d, sums.data()));
  }

  static void run(const EdgeFold& given, Range targets, Range) {
    EdgeFold call = given;
    call.start.wide = call.source.wide = call.edge.wide = false;
    const Lanes lanes{call, sign_of<T, kForm>(call.reduction)};
    const auto group = static_cast<std::int64_t>(hn::Lanes(D()));
    for (std::int64_t t = targets.begin; t < targets.end; t += group) {
      lanes.fold_group(t, std::min(group, targets.end - t));
    }
  }
};

template <class T>
EdgeFoldKernel choose_of(const EdgeFold& call) {
  if (call.start.wide) return nullptr;
  const Form form = choose_form(call);
  if (form == Form::kSum) return &Lanes<T, Form::kSum>::run;
  if (form == Form::kWeightedSum) return call.weight.order ? nullptr : &Lanes<T, Form::kWeightedSum>::run;
  if (form == Form::kExtremum) return &Lanes<T, Form::kExtremum>::run;
  if (form == Form::kExtremumWinners) return &Lanes<T, Form::kExtremumWinners>::run;
  return nullptr;
}

EdgeFoldKernel choose_edge_lanes([[maybe_unused]] DType dtype, [[maybe_unused]] const EdgeFold& call) {
  if constexpr (HWY_TARGET != HWY_SCALAR) {
    if (dtype == DType::kFloat32) return choose_of<float>(call);
    if (dtype == DType::kFloat64) return choose_of<double>(call);
  }
  return nullptr;
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_edge_lanes);
EdgeFoldKernel edge_lanes_kernel(DType dtype, const EdgeFold& call) noexcept {
  return HWY_DYNAMIC_DISPATCH(choose_edge_lanes)(dtype, call);
}
}  // namespace strew
#endif
