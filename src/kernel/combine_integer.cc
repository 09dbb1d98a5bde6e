// Reductions of integers and bool. Integers wrap modulo 2^n: all arithmetic is unsigned, so nothing is undefined.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/combine_integer.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <type_traits>

#include "kernel/combine-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// `unsigned` at least: uint16_t * uint16_t would promote to int and overflow.
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
  T operator()(T a, T b) const noexcept {
    return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
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
template <class T>
struct BitAnd : InAnyOrder {
  using Tag = hn::ScalableTag<T>;
  T operator()(T a, T b) const noexcept { return static_cast<T>(a & b); }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D, V a, V b) const noexcept {
    return hn::And(a, b);
  }
};
template <class T>
struct BitOr : InAnyOrder {
  using Tag = hn::ScalableTag<T>;
  T operator()(T a, T b) const noexcept { return static_cast<T>(a | b); }
  template <class D, class V = hn::Vec<D>>
  HWY_INLINE V vectors(D, V a, V b) const noexcept {
    return hn::Or(a, b);
  }
};
template <class T>
struct BitXor : InAnyOrder {
  using Tag = hn::ScalableTag<T>;
  T operator()(T a, T b) const noexcept { return static_cast<T>(a ^ b); }
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

// bool is a byte; any other value than 0 counts as true, and results are 0 or 1.
struct Or : InAnyOrder {
  std::uint8_t operator()(std::uint8_t a, std::uint8_t b) const noexcept { return (a | b) != 0 ? 1 : 0; }
};
struct And : InAnyOrder {
  std::uint8_t operator()(std::uint8_t a, std::uint8_t b) const noexcept { return a != 0 && b != 0 ? 1 : 0; }
};
// Not AnyOrder: that holds only if the first value is 0 or 1.
struct Xor {
  std::uint8_t operator()(std::uint8_t a, std::uint8_t b) const noexcept { return (a != 0) != (b != 0) ? 1 : 0; }
};

Kernel boolean(Reduction reduction) noexcept {
  using enum Reduction;
  constexpr Kernel kOrs = &combine_rows<std::uint8_t, Or>;
  constexpr Kernel kAnds = &combine_rows<std::uint8_t, And>;
  return choose<Kernel>(reduction, {{kAdd, kOrs},
                                    {kMul, kAnds},
                                    {kMax, kOrs},
                                    {kMin, kAnds},
                                    {kAnd, kAnds},
                                    {kOr, kOrs},
                                    {kXor, &combine_rows<std::uint8_t, Xor>}});
}

// Only comparisons depend on the sign.
template <class T>
Kernel integer(Reduction reduction) noexcept {
  using enum Reduction;
  using Bits = std::make_unsigned_t<T>;
  return choose<Kernel>(reduction, {{kAdd, &combine_rows<Bits, Add<Bits>>},
                                    {kSub, &combine_rows<Bits, Sub<Bits>>},
                                    {kMul, &combine_rows<Bits, Mul<Bits>>},
                                    {kAnd, &combine_rows<Bits, BitAnd<Bits>>},
                                    {kOr, &combine_rows<Bits, BitOr<Bits>>},
                                    {kXor, &combine_rows<Bits, BitXor<Bits>>},
                                    {kMax, &combine_rows<T, Max<T>>},
                                    {kMin, &combine_rows<T, Min<T>>}});
}

Kernel choose_integer(DType dtype, Reduction reduction) {
  switch (dtype) {
    case DType::kBool:
      return boolean(reduction);
    case DType::kInt8:
      return integer<std::int8_t>(reduction);
    case DType::kInt16:
      return integer<std::int16_t>(reduction);
    case DType::kInt32:
      return integer<std::int32_t>(reduction);
    case DType::kInt64:
      return integer<std::int64_t>(reduction);
    case DType::kUInt8:
      return integer<std::uint8_t>(reduction);
    case DType::kUInt16:
      return integer<std::uint16_t>(reduction);
    case DType::kUInt32:
      return integer<std::uint32_t>(reduction);
    case DType::kUInt64:
      return integer<std::uint64_t>(reduction);
    default:
      return nullptr;
  }
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
