// Folds a run of updates, for the kernels of ordered reductions.
#pragma once

#include "cuda/kernels.h"
#include "cuda/steps.h"

namespace strew::cuda {

/// Adjacent elements of a row that one lane loads and folds together.
template <class Stored, int kWide>
struct alignas(kWide == 1 ? alignof(Stored) : 16) Pack {
  static constexpr std::size_t kCount = kWide;
  Stored e[kCount];
};

/// Folds kWide columns of a run, with kAhead updates in flight.
template <class Element, int kWide>
struct RunFold {
  using Stored = typename Element::Stored;
  using Folded = typename Element::Folded;
  using Some = Pack<Stored, kWide>;
  struct Values {
    Folded e[Some::kCount];
  };
  static constexpr unsigned kAhead = kWide > 4 ? 4 : 8;

  const FoldCall& call;

  STREW_DEVICE Some update(std::int64_t sorted, std::int64_t column) const {
    const std::int64_t row = call.reduce.at.position_of(static_cast<std::int64_t>(call.position[sorted]));
    return *reinterpret_cast<const Some*>(static_cast<const Stored*>(call.reduce.updates) + row + column);
  }

  /// Converts an element to the type of the fold, and multiplies it by alpha if the call has one.
  STREW_DEVICE Folded loaded(Stored stored) const {
    const Folded value = Element::load(stored);
    if (!call.scales) return value;
    const Folded alpha = Element::load(*reinterpret_cast<const Stored*>(call.alpha.data()));
    constexpr Reduction kTimes = std::is_same_v<Folded, Truth> ? Reduction::kAnd : Reduction::kMul;
    return ended(step<kTimes>(value, alpha));
  }

  STREW_DEVICE Some* destination(std::int64_t begin, std::int64_t column) const {
    const auto number = static_cast<std::int64_t>(call.runs.key[begin]);
    return reinterpret_cast<Some*>(static_cast<Stored*>(call.reduce.target) + call.reduce.at.offset(number) +
                                   column);
  }

  /// Returns the initial value: the element of data, or the first update if `include_self` is false.
  STREW_DEVICE Values first(std::int64_t begin, std::int64_t column) const {
    const Some some = call.include_self ? *destination(begin, column) : update(begin, column);
    Values value;
    STREW_UNROLL
    for (int e = 0; e < kWide; ++e) value.e[e] = call.include_self ? Element::load(some.e[e]) : loaded(some.e[e]);
    return value;
  }

  /// Applies a range of sorted updates.
  STREW_DEVICE void take(Values& value, std::int64_t from, std::int64_t end, std::int64_t column) const {
    for (std::int64_t i = from; i < end; i += kAhead) {
      Some next[kAhead];
      STREW_UNROLL
      for (unsigned j = 0; j < kAhead; ++j) {  // all loads before the first step
        if (i + j < end) next[j] = update(i + j, column);
      }
      with_reduction<Folded>(call.reduce.reduction, [&](auto reduction) {
        STREW_UNROLL
        for (unsigned j = 0; j < kAhead; ++j) {
          if (i + j >= end) continue;
          STREW_UNROLL
          for (int e = 0; e < kWide; ++e) {
            value.e[e] = step<decltype(reduction)::value>(value.e[e], loaded(next[j].e[e]));
          }
        }
      });
    }
  }

  STREW_DEVICE void finish(Values& value, std::int64_t begin, std::int64_t end, std::int64_t column) const {
    const auto terms = static_cast<std::uint64_t>(end - begin) + (call.include_self ? 1 : 0);
    Some result;
    STREW_UNROLL
    for (int e = 0; e < kWide; ++e) {
      if (terms > 1) value.e[e] = ended(value.e[e]);
      if (call.mean) value.e[e] = mean_of(value.e[e], terms);
      result.e[e] = Element::store(value.e[e]);
    }
    *destination(begin, column) = result;
  }
};

/// Calls `visit` with the Own or Widened type for `dtype`; returns false if there is none.
template <class Visit>
bool with_element(DType dtype, bool widens, const Visit& visit) {
  using enum DType;
  if (dtype == kFloat32) return visit(Own<float>());
  if (dtype == kFloat64) return visit(Own<double>());
  if (dtype == kFloat16) return widens ? visit(Widened<Half16>()) : visit(Own<Float16>());
  if (dtype == kBFloat16) return widens ? visit(Widened<BHalf16>()) : visit(Own<BFloat16>());
  if (dtype == kComplex64) return visit(Own<Complex<float>>());
  if (dtype == kComplex128) return visit(Own<Complex<double>>());
  if (dtype == kBool) return visit(Own<Truth>());
  if (dtype == kInt8) return visit(Own<std::int8_t>());
  if (dtype == kInt16) return visit(Own<std::int16_t>());
  if (dtype == kInt32) return visit(Own<std::int32_t>());
  if (dtype == kInt64) return visit(Own<std::int64_t>());
  if (dtype == kUInt8) return visit(Own<std::uint8_t>());
  if (dtype == kUInt16) return visit(Own<std::uint16_t>());
  if (dtype == kUInt32) return visit(Own<std::uint32_t>());
  if (dtype == kUInt64) return visit(Own<std::uint64_t>());
  if (dtype == kFloat8E4M3FN) return widens && visit(Widened<Float8<3, 7, Special::kOneNan>>());
  if (dtype == kFloat8E4M3FNUZ) return widens && visit(Widened<Float8<3, 8, Special::kNoSign>>());
  if (dtype == kFloat8E5M2) return widens && visit(Widened<Float8<2, 15, Special::kInfinity>>());
  return dtype == kFloat8E5M2FNUZ && widens && visit(Widened<Float8<2, 16, Special::kNoSign>>());
}

}  // namespace strew::cuda
