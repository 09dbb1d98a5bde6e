// The ordered fold: combines the updates of each destination in order.
#include "cuda/kernels.h"
#include "cuda/run_fold.h"

namespace strew::cuda {
namespace {

// Each group of lanes folds one range of columns of one run.
template <class Element, int kWide>
struct FoldRuns {
  FoldCall call;
  Lanes lanes;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    const Positions& at = call.reduce.at;
    if (has_failed(call.reduce.state)) return;
    const std::int64_t parts = ((at.row - 1) / kWide >> lanes.bits) + 1;
    const auto work = static_cast<std::int64_t>(*call.runs.run_count) * parts;
    const std::int64_t lane = t.index() & (lanes.count() - 1);
    for (std::int64_t w = t.index() >> lanes.bits; w < work; w += t.step() >> lanes.bits) {
      const std::int64_t run = parts == 1 ? w : w / parts;
      const std::int64_t column = (((w - run * parts) << lanes.bits) + lane) * kWide;
      if (column < at.row) fold_run(t, static_cast<std::int64_t>(call.runs.begin[run]), column);
    }
  }

 private:
  // Finds the end of a run by exponential and binary search.
  STREW_DEVICE std::int64_t end_of(std::int64_t begin, std::uint64_t key) const {
    std::int64_t inside = begin;
    std::int64_t width = 1;
    while (inside + width < call.runs.count && call.runs.key[inside + width] == key) {
      inside += width;
      width *= 2;
    }
    std::int64_t outside = inside + width < call.runs.count ? inside + width : call.runs.count;
    while (outside - inside > 1) {
      const std::int64_t middle = inside + (outside - inside) / 2;
      (call.runs.key[middle] == key ? inside : outside) = middle;
    }
    return outside;
  }

  template <class Thread>
  STREW_DEVICE void fold_run(const Thread& t, std::int64_t begin, std::int64_t column) const {
    const std::int64_t end = end_of(begin, call.runs.key[begin]);
    if (call.hot.takes(end - begin)) {  // folded later by many threads
      if (column == 0) call.hot.list(t, begin, end);
      return;
    }
    const RunFold<Element, kWide> fold{call};
    auto value = fold.first(begin, column);
    const std::int64_t from = call.include_self ? begin : begin + 1;
    fold.take(value, from, end, column);
    fold.finish(value, begin, end, column);
  }
};

template <class Element>
void launch_fold(Queue& queue, const FoldCall& fold) {
  // Integers and 8-bit types are folded element by element, since they are rare here: most integers use atomics.
  using Stored = typename Element::Stored;
  constexpr bool kPacks = !std::is_integral_v<typename Element::Folded> && sizeof(Stored) > 1;
  constexpr int kWide = kPacks ? 16 / sizeof(Stored) : 1;
  const Lanes lanes((fold.reduce.at.row - 1) / (fold.packs ? kWide : 1) + 1);
  const std::int64_t items = fold.runs.count << lanes.bits;
  if constexpr (kWide > 1) {
    if (fold.packs) return launch(queue, items, FoldRuns<Element, kWide>{fold, lanes});
  }
  launch(queue, items, FoldRuns<Element, 1>{fold, lanes});
}

}  // namespace

void fold_runs(Queue& queue, const FoldCall& fold) {
  with_element(fold.reduce.dtype, fold.widens, [&](auto element) {
    launch_fold<decltype(element)>(queue, fold);
    return true;
  });
  if (fold.hot.from > 0) fold_hot_runs(queue, fold);
}

}  // namespace strew::cuda
