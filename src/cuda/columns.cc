// Ordered reductions without a sort. Positions that differ on a loop axis with a nonzero stride in data never
// share a destination. So one thread applies, in order, all updates whose positions differ only on other axes.
#include "cuda/kernels.h"
#include "cuda/run_fold.h"

namespace strew::cuda {
namespace {

template <class Element>
struct WalkColumns {
  static constexpr int kAhead = 4;
  FoldCall call;
  std::int64_t steps;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    if (has_failed(call.reduce.state)) return;
    const Positions& at = call.reduce.at;
    const std::int64_t work = at.count / steps * at.row;
    for (std::int64_t w = t.index(); w < work; w += t.step()) {
      const std::int64_t column = w / at.row;
      walk(column * steps, w - column * at.row);
    }
  }

 private:
  using Stored = typename Element::Stored;

  STREW_DEVICE void walk(std::int64_t first, std::int64_t c) const {
    const RunFold<Element, 1> fold{call};
    const auto* const updates = static_cast<const Stored*>(call.reduce.updates) + c;
    auto* const target = static_cast<Stored*>(call.reduce.target) + c;
    for (std::int64_t s = 0; s < steps; s += kAhead) {
      Stored next[kAhead];
      std::int64_t to[kAhead];
      STREW_UNROLL
      for (int j = 0; j < kAhead; ++j) {
        to[j] = kNot;
        if (s + j >= steps) continue;
        const Positions::Location location = call.reduce.at[first + s + j];
        if (!location.somewhere) continue;
        to[j] = call.reduce.at.offset(location.number);
        next[j] = updates[location.position];
      }
      with_reduction<typename Element::Folded>(call.reduce.reduction, [&](auto reduction) {
        STREW_UNROLL
        for (int j = 0; j < kAhead; ++j) {
          if (to[j] == kNot) continue;
          const auto value = step<decltype(reduction)::value>(Element::load(target[to[j]]), fold.loaded(next[j]));
          target[to[j]] = Element::store(ended(value));
        }
      });
    }
  }
  static constexpr std::int64_t kNot = INT64_MIN;
};

}  // namespace

void fold_columns(Queue& queue, const FoldCall& fold, std::int64_t steps) {
  with_element(fold.reduce.dtype, false, [&](auto element) {
    launch(queue, fold.reduce.at.count / steps * fold.reduce.at.row, WalkColumns<decltype(element)>{fold, steps});
    return true;
  });
}

}  // namespace strew::cuda
