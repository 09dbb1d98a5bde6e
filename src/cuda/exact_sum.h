// Parallel sums of floats with the same bits as the left fold. A binade is the range between two adjacent powers
// of two. While a sum stays in its binade, it is an integer k times the distance d between adjacent floats, and
// adding x means k += round(x / d). The rounded integer does not depend on the sum, except at ties, where it
// depends on the parity of k. So two effects, one per parity, summarise a chunk of updates for all sums that stay
// in the binade. Bounds of k show whether a sum leaves the binade.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/half_math.h"
#include "cuda/device.h"

namespace strew::cuda {

/// `kFraction`: number of bits in the stored fraction. `kExponents`: the largest stored exponent.
template <class BitsOf, int kFractionOf, int kExponentsOf>
struct FormatOf {
  using Bits = BitsOf;
  static constexpr int kFraction = kFractionOf;
  static constexpr int kExponents = kExponentsOf;
};
template <class T>
struct FloatFormat;  // for types with correctly rounded sums
template <>
struct FloatFormat<float> : FormatOf<std::uint32_t, 23, 255> {};
template <>
struct FloatFormat<double> : FormatOf<std::uint64_t, 52, 2047> {};
template <>  // float has more than twice the digits, so rounding a sum to float first does not change the result
struct FloatFormat<Float16> : FormatOf<std::uint16_t, 10, 31> {};
template <>
struct FloatFormat<BFloat16> : FormatOf<std::uint16_t, 7, 255> {};
template <class T>
inline constexpr bool kSumsExactly = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                     std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// Returns the binade and sign of a float: its stored exponent, with the sign in the next bit. Returns 0 for zero,
/// subnormals, infinities and NaN.
template <class T>
STREW_DEVICE std::uint32_t binade_of(T value) {
  using F = FloatFormat<T>;
  const auto bits = std::bit_cast<typename F::Bits>(value);
  const auto with_sign = static_cast<std::uint32_t>(bits >> F::kFraction);
  const std::uint32_t exponent = with_sign & static_cast<std::uint32_t>(F::kExponents);
  return exponent == 0 || exponent == F::kExponents ? 0 : with_sign;
}

/// The effect of updates on a sum k * d, separately for even and odd k, in units of d.
template <class T>
class SumSummary {
  using F = FloatFormat<T>;
  using Bits = typename F::Bits;
  using Number = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  static constexpr Number kOne = 1;
  static constexpr Number kLeast = kOne << F::kFraction;  // k of the lower bound of the binade
  static constexpr Number kFar = 4 * kLeast;              // a sum that has moved this far has left its binade
  static constexpr std::uint32_t kSign = F::kExponents + 1;

 public:
  STREW_DEVICE SumSummary() : SumSummary(0) {}
  STREW_DEVICE explicit SumSummary(std::uint32_t binade) : binade_(binade) {}

  STREW_DEVICE void add(T update) {
    if (binade_ == 0) return;
    const auto bits = std::bit_cast<Bits>(update);
    const auto with_sign = static_cast<std::uint32_t>(bits >> F::kFraction);
    const auto stored = static_cast<int>(with_sign & F::kExponents);
    Number digits = static_cast<Number>(bits & static_cast<Bits>(kLeast - 1));
    if (stored != 0) digits |= kLeast;
    if ((with_sign & kSign) != (binade_ & kSign)) digits = -digits;
    falls_ |= digits < 0;
    // In units of d, the update is digits * 2^-down.
    const int down = static_cast<int>(binade_ & F::kExponents) - (stored == 0 ? 1 : stored);
    if (down < 0) {  // larger than any sum in the binade, infinite or NaN: the sum leaves the binade
      binade_ = 0;
      return;
    }
    if (down > F::kFraction + 1) return;  // less than d / 2
    const Number floor = digits >> down;
    const Number rest = digits - (floor << down);
    const Number half = down == 0 ? 1 : kOne << (down - 1);  // if down is 0, there is no remainder
    STREW_UNROLL
    for (Number parity = 0; parity < 2; ++parity) {
      const bool odd = ((parity + moved_[parity] + floor) & 1) != 0;
      moved_[parity] += floor + (rest > half || (rest == half && odd) ? 1 : 0);
      if (moved_[parity] < lowest_[parity]) lowest_[parity] = moved_[parity];
      if (moved_[parity] > highest_[parity]) highest_[parity] = moved_[parity];
    }
    if (lowest_[0] < -kFar || highest_[0] > kFar) binade_ = 0;  // prevents overflow
  }

  /// Returns the summary of thread `lane` of the group.
  template <class Thread>
  STREW_DEVICE SumSummary from_lane(const Thread& t, int lane) const {
    SumSummary other(t.from_lane(binade_, lane));
    other.falls_ = t.from_lane(std::uint32_t{falls_}, lane) != 0;
    STREW_UNROLL
    for (int parity = 0; parity < 2; ++parity) {
      other.moved_[parity] = t.from_lane(moved_[parity], lane);
      other.lowest_[parity] = t.from_lane(lowest_[parity], lane);
      other.highest_[parity] = t.from_lane(highest_[parity], lane);
    }
    return other;
  }

  /// Applies the effect to a sum; returns false if the updates must be added one by one.
  STREW_DEVICE bool apply(T& sum) const {
    if (binade_ == 0 || binade_of(sum) != binade_) return false;
    const auto bits = std::bit_cast<Bits>(sum);
    const Number k = static_cast<Number>(bits & static_cast<Bits>(kLeast - 1)) | kLeast;
    const bool odd = (k & 1) != 0;  // no array index, so that a summary stays in registers
    const Number moved = odd ? moved_[1] : moved_[0];
    const Number lowest = odd ? lowest_[1] : lowest_[0];
    const Number highest = odd ? highest_[1] : highest_[0];
    // Floats below the lower bound are denser. If any update decreases the sum, the sum must stay above the bound.
    if ((falls_ && k + lowest <= kLeast) || k + highest >= 2 * kLeast) return false;
    const auto digits = static_cast<Bits>(k + moved) & static_cast<Bits>(kLeast - 1);
    sum = std::bit_cast<T>(static_cast<Bits>(digits | static_cast<Bits>(bits & ~static_cast<Bits>(kLeast - 1))));
    return true;
  }

 private:
  std::uint32_t binade_;
  bool falls_ = false;  // true if an update and the sum have opposite signs
  Number moved_[2] = {0, 0};
  Number lowest_[2] = {0, 0};
  Number highest_[2] = {0, 0};
};

}  // namespace strew::cuda
