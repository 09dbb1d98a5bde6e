// Vectors of floats for fused gather-scatter; narrow floats are float32 in registers.
#if defined(STREW_EDGE_VECTORS_INL_H) == defined(HWY_TARGET_TOGGLE)  // once for each instruction set
#ifdef STREW_EDGE_VECTORS_INL_H
#undef STREW_EDGE_VECTORS_INL_H
#else
#define STREW_EDGE_VECTORS_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <limits>

#include "core/half_math.h"
#include "core/visit_dtype.h"
#include "strew/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// maximum and minimum of IEEE 754-2019: NaN wins and is canonical, and +0 is greater than -0.
template <bool kMaximum, class D, class V = hn::Vec<D>>
HWY_INLINE V extremum(D d, V a, V b) {
  const V number = kMaximum ? hn::And(hn::Max(a, b), hn::Max(b, a)) : hn::Or(hn::Min(a, b), hn::Min(b, a));
  const V nan = hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN());
  return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), nan, number);
}

// Loads and stores elements T at any alignment as vectors of Wide. `rounded` rounds to T but returns Wide.
template <class T>
struct EdgeVectors {
  using Wide = T;
  using Tag = hn::ScalableTag<T>;
  static constexpr bool kNarrow = false;

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const T* from) {
    return hn::LoadU(d, from);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> set(D d, T value) {
    return hn::Set(d, value);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> rounded(D, hn::Vec<D> value) {
    return value;
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> value, T* to) {
    hn::StoreU(value, d, to);
  }
};

template <>
struct EdgeVectors<BFloat16> {
  using Wide = float;
  using Tag = hn::ScalableTag<float>;
  static constexpr bool kNarrow = true;

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const BFloat16* from) {
    const hn::Rebind<std::uint16_t, D> halves;
    const hn::RebindToUnsigned<D> words;
    const auto bits = hn::LoadU(halves, reinterpret_cast<const std::uint16_t*>(from));
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(words, bits)));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> set(D d, BFloat16 value) {
    return hn::Set(d, float_from_bits(static_cast<std::uint32_t>(value.bits) << 16));
  }
  // Rounds to nearest even with integer operations, since the hardware's conversion flushes subnormals. A NaN
  // stays NaN: it is the result of an operation on numbers of T, so the lower half of its bits is 0.
  template <class D>
  static HWY_INLINE hn::Vec<D> rounded(D d, hn::Vec<D> value) {
    const hn::RebindToUnsigned<D> words;
    return hn::BitCast(d, hn::And(nearest(words, hn::BitCast(words, value)), hn::Set(words, 0xFFFF0000u)));
  }
  template <class D>
  static HWY_INLINE void store(D d, hn::Vec<D> value, BFloat16* to) {
    const hn::RebindToSigned<D> words;
    const hn::Rebind<std::uint16_t, D> halves;
    const auto canonical = hn::IfThenElse(hn::IsNaN(value), hn::Set(d, float_from_bits(0x7FC00000u)), value);
    const auto upper =
        hn::ShiftRight<16>(nearest(hn::RebindToUnsigned<D>(), hn::BitCast(hn::RebindToUnsigned<D>(), canonical)));
    hn::StoreU(hn::DemoteTo(halves, hn::BitCast(words, upper)), halves, reinterpret_cast<std::uint16_t*>(to));
  }

 private:
  // Returns bits whose upper half is the nearest bfloat16.
  template <class Words>
  static HWY_INLINE hn::Vec<Words> nearest(Words words, hn::Vec<Words> bits) {
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
    return hn::Add(bits, hn::Add(odd, hn::Set(words, 0x7FFF)));
  }
};

template <>
struct EdgeVectors<Float16> {
  using Wide = float;
  static constexpr bool kNarrow = true;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // the processor converts halves, with the same results as half_math.h
  using Tag = hn::ScalableTag<float>;

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const Float16* from) {
    const hn::Rebind<hwy::float16_t, D> halves;
    return hn::PromoteTo(d, hn::LoadU(halves, reinterpret_cast<const hwy::float16_t*>(from)));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> rounded(D d, hn::Vec<D> value) {
    return hn::PromoteTo(d, hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), value));
  }
  template <class D>
  static HWY_INLINE void store(D, hn::Vec<D> value, Float16* to) {
    const hn::Rebind<hwy::float16_t, D> halves;
    hn::StoreU(hn::DemoteTo(halves, value), halves, reinterpret_cast<hwy::float16_t*>(to));
  }
#else
  using Tag = hn::CappedTag<float, 1>;

  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const Float16* from) {
    return hn::Set(d, widen(*from));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> rounded(D d, hn::Vec<D> value) {
    return hn::Set(d, widen(Float16{float16_from_float(hn::GetLane(value))}));
  }
  template <class D>
  static HWY_INLINE void store(D, hn::Vec<D> value, Float16* to) {
    to->bits = float16_from_float(hn::GetLane(value));
  }
#endif
  template <class D>
  static HWY_INLINE hn::Vec<D> set(D d, Float16 value) {
    return hn::Set(d, widen(value));
  }
};

// Returns choose(T()) for the float type T of a dtype; nullptr for any other type.
template <class Kernel, class Choose>
Kernel of_float_type(DType dtype, const Choose& choose) {
  return visit_dtype<Kernel, float, double, Float16, BFloat16>(dtype, choose);
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
