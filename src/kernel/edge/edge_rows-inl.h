// Addresses of the rows and terms of an edge, and their prefetches.
#if defined(STREW_EDGE_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)  // once for each instruction set
#ifdef STREW_EDGE_ROWS_INL_H
#undef STREW_EDGE_ROWS_INL_H
#else
#define STREW_EDGE_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/prefetch.h"
#include "kernel/edge/edge_kernels.h"
#include "kernel/edge/edge_step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

// Bytes of the accumulators, on the stack, for one pass over the edges of a target.
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

template <class T>
HWY_INLINE RowTerms<T> terms_at(const EdgeFold& call, std::int64_t i, std::int64_t head, std::int64_t column) {
  return {term_at<T>(call.weight, i, head, column), term_at<T>(call.addend, i, head, column)};
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

  // Calls no function, since a call would force the accumulators out of their registers.
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

// Prefetches the rows of edge i + ahead_edges, in a task that ends before edge `last`.
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
