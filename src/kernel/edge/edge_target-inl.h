// What begins and ends the fold of a target, once for all forms of a call.
#if defined(STREW_EDGE_TARGET_INL_H) == defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef STREW_EDGE_TARGET_INL_H
#undef STREW_EDGE_TARGET_INL_H
#else
#define STREW_EDGE_TARGET_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernel/edge/edge_fold.h"
#include "kernel/edge/edge_rows-inl.h"
#include "kernel/edge/edge_step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

// The first edge of the target, which wins if its message equals the neutral element; -1: no edge. With wide
// lists a winner is its position among the edges of the target.
template <class T>
Word<T> first_winner(const EdgeFold& call, Range edges) {
  if (call.base != nullptr || edges.begin == edges.end) return -1;
  return call.start.wide ? 0 : static_cast<Word<T>>(number_of(call, edges.begin));
}

template <class T>
HWY_NOINLINE void store_winners(const EdgeFold& call, std::int64_t t, Range columns, const Word<T>* winners) {
  std::int64_t* to = call.winners + t * call.heads * call.columns + columns.begin;
  for (std::int64_t j = 0; j < columns.end - columns.begin; ++j) {
    if (call.start.wide && winners[j] >= 0) {
      to[j] = number_of(call, call.start[t] + winners[j]);
    } else {
      to[j] = winners[j] < 0 ? call.no_winner : winners[j];
    }
  }
}

// The number of terms of a mean.
inline std::uint64_t terms_of(const EdgeFold& call, Range edges) {
  return static_cast<std::uint64_t>(edges.end - edges.begin + (call.base != nullptr ? 1 : 0));
}

template <class T>
HWY_NOINLINE void begin_target(const EdgeFold& call, std::int64_t t, Range edges, Wide<T> sign, Range columns,
                               Wide<T>* sums, Word<T>* winners) {
  using V = EdgeVectors<T>;
  const T* base = static_cast<const T*>(call.base);
  if (base != nullptr) base += t * call.heads * call.columns + columns.begin;
  const Wide<T> value = beginning<T>(call, edges.begin == edges.end, sign);
  const Word<T> winner = first_winner<T>(call, edges);
  for_each_vector(typename V::Tag(), 0, columns.end - columns.begin, [=](auto d, std::int64_t j) HWY_ATTR {
    const hn::Rebind<Word<T>, decltype(d)> words;
    hn::StoreU(base != nullptr ? turned(d, V::load(d, base + j), sign) : hn::Set(d, value), d, sums + j);
    if (winners != nullptr) hn::StoreU(hn::Set(words, winner), words, winners + j);
  });
}

template <class T>
HWY_NOINLINE void end_target(const EdgeFold& call, std::int64_t t, Range edges, Wide<T> sign, Range columns,
                             const Wide<T>* sums, const Word<T>* winners) {
  using V = EdgeVectors<T>;
  const bool divides = call.reduction == Reduction::kMean && edges.end > edges.begin;
  const std::uint64_t terms = divides ? terms_of(call, edges) : 1;
  T* output = static_cast<T*>(call.output) + t * call.heads * call.columns + columns.begin;
  for_each_vector(typename V::Tag(), 0, columns.end - columns.begin, [=](auto d, std::int64_t j) HWY_ATTR {
    auto sum = hn::LoadU(d, sums + j);
    if (terms != 1) sum = quotient(d, sum, terms);
    V::store(d, turned(d, sum, sign), output + j);
  });
  if (winners != nullptr) store_winners<T>(call, t, columns, winners);
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
