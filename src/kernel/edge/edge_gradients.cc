// Dot products along edges, and the gradients of extrema, relu, weights and addends.
#include "kernel/edge/edge_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/edge/edge_gradients.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/prefetch.h"
#include "kernel/edge/edge_rows-inl.h"
#include "kernel/edge/edge_step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

// Dot products of rows, summed in the same order with every instruction set.
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

  // Does the same as `dot` in a register, for rows that fill vectors of kLanes lanes or one narrower vector.
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

// Recomputes each message and compares it with the result of the target.
template <class T>
struct Shares {
  using V = EdgeVectors<T>;
  using Tag = typename V::Tag;
  static constexpr std::int64_t kTile = kTileBytes / static_cast<std::int64_t>(sizeof(Wide<T>));

  static HWY_INLINE const T* row_at(const void* rows, std::int64_t at) {
    return rows == nullptr ? nullptr : static_cast<const T*>(rows) + at;
  }

  static void find_winners(const EdgeFold& given, const EdgeWinners& winners, Range targets) {
    const EdgeFold call = given;
    const std::int64_t row = call.heads * call.columns;
    for (std::int64_t begin = 0; begin < row; begin += kTile) {
      const Range columns = {begin, std::min(begin + kTile, row)};
      for (std::int64_t t = targets.begin; t < targets.end; ++t) {
        find_of_target(call, winners, t, columns, call.start[targets.end]);
      }
    }
  }

  // Counts the winners of a target and stores their shares, or stores which edge is the first winner.
  static HWY_INLINE void find_of_target(const EdgeFold& call, const EdgeWinners& winners, std::int64_t t,
                                        Range columns, std::int64_t last) {
    std::array<Word<T>, static_cast<std::size_t>(kTile)> found;
    const std::int64_t width = columns.end - columns.begin;
    std::fill_n(found.data(), width, Word<T>{winners.first != nullptr ? -1 : 0});
    const std::int64_t row = call.heads * call.columns;
    const T* result = static_cast<const T*>(winners.result) + t * row;
    for (std::int64_t i = call.start[t]; i < call.start[t + 1]; ++i) {
      prefetch_ahead<T, Form::kAny>(call, i, last, columns);
      const T* data = static_cast<const T*>(call.data) + std::int64_t{call.source[i]} * row;
      for_each_run(call, columns, [&](std::int64_t head, std::int64_t begin, std::int64_t end) HWY_ATTR {
        const RowTerms<T> terms = terms_at<T>(call, i, head, begin - head * call.columns);
        Word<T>* to = found.data() + (begin - columns.begin);
        for_each_vector(Tag(), 0, end - begin, [&](auto d, std::int64_t j) HWY_ATTR {
          const hn::Rebind<Word<T>, decltype(d)> words;
          const auto message = terms.message(d, call, data + begin, j);
          const auto wanted = V::load(d, result + begin + j);
          const auto old = hn::LoadU(words, to + j);
          const auto both_nan = hn::And(hn::IsNaN(message), hn::IsNaN(wanted));
          if (winners.first != nullptr) {
            const auto same = hn::Eq(hn::BitCast(words, message), hn::BitCast(words, wanted));
            const auto wins = hn::And(hn::Or(same, hn::RebindMask(words, both_nan)), hn::Lt(old, hn::Zero(words)));
            const auto number = hn::Set(words, static_cast<Word<T>>(number_of(call, i)));
            hn::StoreU(hn::IfThenElse(wins, number, old), words, to + j);
          } else {
            const auto wins = hn::RebindMask(words, hn::Or(hn::Eq(message, wanted), both_nan));
            hn::StoreU(hn::Add(old, hn::IfThenElseZero(wins, hn::Set(words, Word<T>{1}))), words, to + j);
          }
        });
      });
    }
    const std::int64_t at = t * row + columns.begin;
    if (winners.first != nullptr) {
      std::copy_n(found.data(), width, static_cast<Word<T>*>(winners.first) + at);
      return;
    }
    const T* gradient = static_cast<const T*>(winners.gradient) + at;
    T* shares = static_cast<T*>(winners.shares) + at;
    for_each_vector(Tag(), 0, width, [&](auto d, std::int64_t j) HWY_ATTR {
      const hn::Rebind<Word<T>, decltype(d)> words;
      auto count = hn::ConvertTo(d, hn::LoadU(words, found.data() + j));
      if (winners.count_zero) {
        const auto zero = hn::Eq(V::load(d, result + columns.begin + j), hn::Zero(d));
        count = hn::Add(count, hn::IfThenElseZero(zero, hn::Set(d, Wide<T>{1})));
      }
      V::store(d, hn::Div(V::load(d, gradient + j), hn::Max(count, hn::Set(d, Wide<T>{1}))), shares + j);
    });
  }

  static void share(const EdgeFold& given, const EdgeShares& to, Range targets, void* scratch) {
    const EdgeFold call = given;
    const std::int64_t row = call.heads * call.columns;
    auto* own = static_cast<T*>(scratch);
    T* ones = own + row;
    for_each_vector(Tag(), 0, row,
                    [&](auto d, std::int64_t j) HWY_ATTR { V::store(d, hn::Set(d, Wide<T>{1}), ones + j); });
    for (std::int64_t t = targets.begin; t < targets.end; ++t) {
      for (std::int64_t i = call.start[t]; i < call.start[t + 1]; ++i) {
        prefetch_ahead<T, Form::kAny>(call, i, call.start[targets.end], {0, row});
        const std::int64_t number = number_of(call, i);
        const T* data = static_cast<const T*>(call.data) + std::int64_t{call.source[i]} * row;
        T* passed =
            to.of_addend != nullptr && to.addend_sums == 0 ? static_cast<T*>(to.of_addend) + number * row : own;
        const MaskRows<T> mask{
            data, row_at(to.result, t * row),
            to.winners == nullptr ? nullptr : static_cast<const Word<T>*>(to.winners) + t * row};
        const T* shares = static_cast<const T*>(to.shares) + t * row;
        for_each_run(call, {0, row}, [&](std::int64_t head, std::int64_t begin, std::int64_t end) HWY_ATTR {
          const RowTerms<T> terms = terms_at<T>(call, i, head, 0);
          const MaskRows<T> here = mask.from(begin);
          for_each_vector(Tag(), 0, end - begin, [&](auto d, std::int64_t j) HWY_ATTR {
            const auto passes = here.passes(d, call, terms, number, j);
            V::store(d, hn::IfThenElseZero(passes, V::load(d, shares + begin + j)), passed + begin + j);
          });
        });
        if (to.of_addend != nullptr && to.addend_sums != 0)
          add_up(ones, passed, row, to.addend_sums, to.of_addend, number);
        if (to.of_weight == nullptr) continue;
        if (to.weight_sums != 0) {
          add_up(data, passed, row, to.weight_sums, to.of_weight, number);
          continue;
        }
        T* weight = static_cast<T*>(to.of_weight) + number * row;
        for_each_vector(Tag(), 0, row, [&](auto d, std::int64_t j) HWY_ATTR {
          V::store(d, hn::Mul(V::load(d, passed + j), V::load(d, data + j)), weight + j);
        });
      }
    }
  }

  static HWY_NOINLINE void add_up(const T* rows, const T* passed, std::int64_t row, std::int64_t sums,
                                  void* output, std::int64_t number) {
    const std::int64_t columns = row / sums;
    T* to = static_cast<T*>(output) + number * sums;
    for (std::int64_t i = 0; i < sums; ++i) to[i] = Dot<T>::dot(rows + i * columns, passed + i * columns, columns);
  }
};

EdgeDotKernel choose_edge_dot(DType dtype) {
  return of_float_type<EdgeDotKernel>(dtype, [&](auto type) { return &DotLoops<decltype(type)>::run; });
}

EdgeWinnersKernel choose_edge_winners(DType dtype) {
  return of_float_type<EdgeWinnersKernel>(dtype, [&](auto type) { return &Shares<decltype(type)>::find_winners; });
}

EdgeSharesKernel choose_edge_shares(DType dtype) {
  return of_float_type<EdgeSharesKernel>(dtype, [&](auto type) { return &Shares<decltype(type)>::share; });
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_edge_dot);
HWY_EXPORT(choose_edge_winners);
HWY_EXPORT(choose_edge_shares);
EdgeDotKernel edge_dot_kernel(DType dtype) noexcept { return HWY_DYNAMIC_DISPATCH(choose_edge_dot)(dtype); }
EdgeWinnersKernel edge_winners_kernel(DType dtype) noexcept {
  return HWY_DYNAMIC_DISPATCH(choose_edge_winners)(dtype);
}
EdgeSharesKernel edge_shares_kernel(DType dtype) noexcept {
  return HWY_DYNAMIC_DISPATCH(choose_edge_shares)(dtype);
}
}  // namespace strew
#endif
