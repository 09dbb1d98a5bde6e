// Reductions of integers and bool. Integers wrap modulo 2^n: all arithmetic is unsigned, so overflow is defined.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/combine_integer.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <type_traits>

#include "core/visit_dtype.h"
#include "kernel/combine-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The type of the arithmetic, at least as wide as `unsigned`: in int, a product of two uint16_t could overflow.
template <class T>
using Wide = std::common_type_t<T, unsigned>;

template <class T>
struct Add : InAnyOrder {
  using Tag = hn::ScalableTag<T>;
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D, V a, V b) const noexcept {
    return hn::Add(a, b);
  }
};
template <class T>
struct Mul : InAnyOrder {
  using Tag = hn::ScalableTag<T>;
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
  }
  // Most instruction sets cannot multiply elements of 1 or 8 bytes, so elements of other widths are multiplied.
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D d, V a, V b) const noexcept {
    if constexpr (sizeof(T) == 1) {
      const hn::Repartition<std::uint16_t, D> pairs;
      const auto low = hn::Mul(hn::BitCast(pairs, a), hn::BitCast(pairs, b));
      const auto high =
          hn::Mul(hn::ShiftRight<8>(hn::BitCast(pairs, a)), hn::ShiftRight<8>(hn::BitCast(pairs, b)));
      return hn::BitCast(d, hn::Or(hn::And(low, hn::Set(pairs, 0xFF)), hn::ShiftLeft<8>(high)));
    } else if constexpr (sizeof(T) == 8) {
      const hn::Repartition<std::uint32_t, D> halves;
      const auto product = [&](V one, V other) HWY_ATTR {
        return hn::MulEven(hn::BitCast(halves, one), hn::BitCast(halves, other));
      };
      const V crossed = hn::Add(product(hn::ShiftRight<32>(a), b), product(a, hn::ShiftRight<32>(b)));
      return hn::Add(product(a, b), hn::ShiftLeft<32>(crossed));
    } else {
      return hn::Mul(a, b);
    }
  }
};
template <class T>
struct Sub {
  using Tag = hn::ScalableTag<T>;
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(static_cast<Wide<T>>(a) - static_cast<Wide<T>>(b));
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D, V a, V b) const noexcept {
    return hn::Sub(a, b);
  }
};
struct BitAnd : OnBits {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(a & b);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D, V a, V b) const noexcept {
    return hn::And(a, b);
  }
};
struct BitOr : OnBits {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(a | b);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D, V a, V b) const noexcept {
    return hn::Or(a, b);
  }
};
struct BitXor : OnBits {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(a ^ b);
  }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D, V a, V b) const noexcept {
    return hn::Xor(a, b);
  }
};
template <class T>
struct Max : InAnyOrder {
  using Tag = hn::ScalableTag<T>;
  T operator()(T a, T b) const noexcept { return b > a ? b : a; }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D, V a, V b) const noexcept {
    return hn::Max(a, b);
  }
};
template <class T>
struct Min : InAnyOrder {
  using Tag = hn::ScalableTag<T>;
  T operator()(T a, T b) const noexcept { return b < a ? b : a; }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D, V a, V b) const noexcept {
    return hn::Min(a, b);
  }
};

// A bool is a byte. Any value other than 0 is true, and results are 0 or 1.
struct OnTruth {
  using Tag = hn::ScalableTag<std::uint8_t>;
  template <class D>
  static HWY_INLINE hn::Vec<D> truth(D d, hn::Vec<D> value) {
    return hn::Min(value, hn::Set(d, 1));
  }
};
struct Or : OnTruth {
  std::uint8_t operator()(std::uint8_t a, std::uint8_t b) const noexcept { return (a | b) != 0 ? 1 : 0; }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D d, V a, V b) const noexcept {
    return truth(d, hn::Or(a, b));
  }
};
struct And : OnTruth {
  std::uint8_t operator()(std::uint8_t a, std::uint8_t b) const noexcept { return a != 0 && b != 0 ? 1 : 0; }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D d, V a, V b) const noexcept {
    return hn::And(truth(d, a), truth(d, b));
  }
};
struct Xor : OnTruth {
  std::uint8_t operator()(std::uint8_t a, std::uint8_t b) const noexcept { return (a != 0) != (b != 0) ? 1 : 0; }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D d, V a, V b) const noexcept {
    return hn::Xor(truth(d, a), truth(d, b));
  }
};

Kernel boolean(Reduction reduction) noexcept {
  using enum Reduction;
  constexpr Kernel kOrs = &combine_plainly<std::uint8_t, Or>;
  constexpr Kernel kAnds = &combine_plainly<std::uint8_t, And>;
  return choose<Kernel>(reduction, {{kAdd, kOrs},
                                    {kMul, kAnds},
                                    {kMax, kOrs},
                                    {kMin, kAnds},
                                    {kAnd, kAnds},
                                    {kOr, kOrs},
                                    {kXor, &combine_plainly<std::uint8_t, Xor>}});
}

// Chooses the faster loops for integers of 4 and 8 bytes, which are common.
template <class T, class Operation>
constexpr Kernel common() noexcept {
  if constexpr (sizeof(T) < 4) {
    return &combine_plainly<T, Operation>;
  } else {
    return &combine_rows<T, Operation>;
  }
}

// Uses unsigned types except for kMax and kMin: only comparisons depend on the sign.
template <class T>
Kernel integer(Reduction reduction) noexcept {
  using enum Reduction;
  using Bits = std::make_unsigned_t<T>;
  return choose<Kernel>(reduction, {{kAdd, common<Bits, Add<Bits>>()},
                                    {kSub, &combine_plainly<Bits, Sub<Bits>>},
                                    {kMul, common<Bits, Mul<Bits>>()},
                                    {kAnd, &combine_plainly<Bits, BitAnd>},
                                    {kOr, &combine_plainly<Bits, BitOr>},
                                    {kXor, &combine_plainly<Bits, BitXor>},
                                    {kMax, common<T, Max<T>>()},
                                    {kMin, common<T, Min<T>>()}});
}

Kernel choose_integer(DType dtype, Reduction reduction) {
  if (dtype == DType::kBool) return boolean(reduction);
  return visit_dtype<Kernel, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                     std::uint32_t, std::uint64_t>(dtype,
                                                   [&](auto type) { return integer<decltype(type)>(reduction); });
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_integer);
Kernel combine_integer_kernel(DType dtype, Reduction reduction) noexcept {
  return HWY_DYNAMIC_DISPATCH(choose_integer)(dtype, reduction);
}
}  // namespace strew
#endif
