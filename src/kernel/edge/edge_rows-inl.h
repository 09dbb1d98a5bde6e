// Vectors of floats for fused gather-scatter; float16 and bfloat16 are float32 in registers. Also finds and
// prefetches the rows and terms of an edge.
#if defined(STREW_EDGE_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)  // once for each instruction set
#ifdef STREW_EDGE_ROWS_INL_H
#undef STREW_EDGE_ROWS_INL_H
#else
#define STREW_EDGE_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/half_math.h"
#include "core/prefetch.h"
#include "core/visit_dtype.h"
#include "kernel/edge/edge_kernels.h"
#include "strew/dtype.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The operations `maximum` and `minimum` of IEEE 754-2019: NaN wins and is canonical, and +0 is greater than -0.
template <bool kMaximum, class D, class V = hn::Vec<D>>
HWY_INLINE V extremum(D d, V a, V b) {
  const V number = kMaximum ? hn::And(hn::Max(a, b), hn::Max(b, a)) : hn::Or(hn::Min(a, b), hn::Min(b, a));
  const V nan = hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN());
  return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), nan, number);
}

// Loads and stores unaligned elements of type T as vectors of Wide. `rounded` rounds to T but returns Wide.
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
  // stays NaN: it is the result of an operation on values of type T, so the lower half of its bits is 0.
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

template <class T>
using Wide = typename EdgeVectors<T>::Wide;

// Kinds of calls. Common kinds have specialised loops; the loop of kAny branches at each step. Specialised loops
// compute a minimum as the maximum of negated numbers, since each additional loop takes seconds to compile.
enum class Form : std::uint8_t { kSum, kWeightedSum, kMasked, kExtremum, kExtremumWinners, kAny };

inline Form choose_form(const EdgeFold& call) {
  if (call.mask.data != nullptr) return Form::kMasked;
  if (call.addend.values != nullptr || call.relu) return Form::kAny;
  const bool weighted = call.weight.values != nullptr;
  if (call.reduction == Reduction::kAdd || call.reduction == Reduction::kMean) {
    if (!weighted) return Form::kSum;
    return call.weight.per_column && call.columns != 1 ? Form::kAny : Form::kWeightedSum;
  }
  if (weighted || !is_extremum(call.reduction)) return Form::kAny;
  return call.winners != nullptr ? Form::kExtremumWinners : Form::kExtremum;
}

// Bytes of accumulators on the stack in one pass over the edges of a target.
constexpr std::int64_t kTileBytes = 2048;

HWY_INLINE std::int64_t number_of(const EdgeFold& call, std::int64_t i) { return call.edge ? call.edge[i] : i; }

template <class T>
HWY_INLINE const T* term_at(const EdgeTerm& term, std::int64_t i, std::int64_t head, std::int64_t column) {
  if (term.values == nullptr) return nullptr;
  const std::int64_t e = term.order ? term.order[i] : i;
  return static_cast<const T*>(term.values) + e * term.edge + head * term.head + (term.per_column ? column : 0);
}

// The weight of edge i if kForm is kWeightedSum, else 0.
template <class T, Form kForm>
HWY_INLINE Wide<T> factor_at(const EdgeFold& call, std::int64_t i, std::int64_t head, std::int64_t column) {
  if constexpr (kForm != Form::kWeightedSum) return 0;
  const hn::CappedTag<Wide<T>, 1> d;
  return hn::GetLane(EdgeVectors<T>::set(d, *term_at<T>(call.weight, i, head, column)));
}

// Calls body(head, begin, end) for the columns of each head. If kOneHead, compiles `body` again for a single head,
// except for processors without vectors, which are rare.
template <bool kOneHead = true, class Body>
HWY_INLINE void for_each_run(const EdgeFold& call, Range columns, const Body& body) {
  if (kOneHead && HWY_TARGET != HWY_SCALAR && call.heads == 1) return body(0, columns.begin, columns.end);
  for (std::int64_t head = columns.begin / call.columns; head * call.columns < columns.end; ++head) {
    body(head, std::max(columns.begin, head * call.columns), std::min(columns.end, (head + 1) * call.columns));
  }
}

// Rows of data for reads of whole vectors, which may extend past the end of a row. The last rows are read from a
// copy, since nothing after the end of data may be read.
template <class T>
class WholeRows {
 public:
  // Each row is read from columns.begin on, for `padded` columns. `tail` receives the copy. It has memory for
  // `padded` elements, and for the elements after them that reads of whole vectors touch.
  HWY_INLINE WholeRows(const EdgeFold& call, Range columns, std::int64_t padded, T* tail)
      : first_(static_cast<const T*>(call.data) + columns.begin), row_(call.heads * call.columns), tail_(tail) {
    const std::int64_t all = call.rows * row_ - columns.begin;
    whole_ = all < padded ? 0 : (all - padded) / row_ + 1;
    std::copy_n(first_ + whole_ * row_, std::max<std::int64_t>(all - whole_ * row_, 0), tail);
  }

  // Does not call any function, since a call would force the accumulators out of their registers.
  HWY_INLINE const T* operator[](std::int64_t number) const {
    return HWY_LIKELY(number < whole_) ? first_ + number * row_ : tail_ + (number - whole_) * row_;
  }

 private:
  const T* first_;
  std::int64_t row_;
  const T* tail_;
  std::int64_t whole_;  // number of rows that are not read from `tail`
};

template <class T>
HWY_INLINE void prefetch_row(const void* rows, std::int64_t row, std::int64_t number, Range columns) {
  const T* at = static_cast<const T*>(rows) + number * row + columns.begin;
  prefetch_to_l2(reinterpret_cast<const std::byte*>(at),
                 (columns.end - columns.begin) * static_cast<std::int64_t>(sizeof(T)));
}

template <class T>
HWY_INLINE void prefetch_term(const EdgeTerm& term, std::int64_t i, std::int64_t row) {
  if (term.values == nullptr || !term.order || term.edge == 0) return;
  const auto* at = static_cast<const T*>(term.values) + term.order[i] * term.edge;
  prefetch_to_l2(reinterpret_cast<const std::byte*>(at),
                 (term.per_column ? row : 1) * static_cast<std::int64_t>(sizeof(T)));
}

// Prefetches the rows and terms of edge i + ahead_edges. The last edge of the task is `last` - 1.
template <class T, Form kForm>
HWY_INLINE void prefetch_ahead(const EdgeFold& call, std::int64_t i, std::int64_t last, Range columns) {
  if (call.ahead_edges == 0) return;
  const std::int64_t row = call.heads * call.columns;
  const std::int64_t other = call.source[i + call.ahead_edges];
  prefetch_row<T>(call.data, row, other, columns);
  if constexpr (kForm == Form::kSum || kForm == Form::kExtremum || kForm == Form::kExtremumWinners) return;
  if (i + call.ahead_edges >= last) return;
  if constexpr (kForm == Form::kWeightedSum) return prefetch_term<T>(call.weight, i + call.ahead_edges, 1);
  if (call.mask.result != nullptr) prefetch_row<T>(call.mask.result, row, other, columns);
  prefetch_term<T>(call.weight, i + call.ahead_edges, row);
  prefetch_term<T>(call.addend, i + call.ahead_edges, row);
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
