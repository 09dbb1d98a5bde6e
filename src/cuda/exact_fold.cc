// Uses many threads to sum each long run of updates with one destination. The sum has the same bits as the left
// fold. Sorted updates are divided into chunks, and a long run contains at least one whole chunk. First, one
// thread per chunk and column computes a rough sum. The rough sums estimate the magnitude of the sum before each
// chunk. Then one thread per chunk and column summarises the effect of the chunk on sums of that magnitude
// (exact_sum.h). Finally, one group of threads per run and column applies the summaries in order, or the updates
// themselves if a summary does not apply: each thread loads a different summary or update, and all threads compute
// the same sum.
#include "cuda/exact_sum.h"
#include "cuda/kernels.h"
#include "cuda/run_fold.h"

namespace strew::cuda {
namespace {

constexpr int kAhead = 8;       // loads in flight per thread that sums or summarises a chunk
constexpr int kGroupAhead = 4;  // loads in flight per thread of a group

// A column of a chunk. `rough` is first the rough sum of the chunk, later an estimate of the sum before it.
template <class T>
struct Chunk {
  T rough;
  SumSummary<T> summary;
};

// True for types with a parallel sum. Long runs of 8-bit floats are rare, so one thread sums each of them.
template <class Element>
inline constexpr bool kHasHotFold = kSumsExactly<typename Element::Folded> && sizeof(typename Element::Stored) > 1;

template <class Element>
struct HotFold {
  using Folded = typename Element::Folded;
  using One = RunFold<Element, 1>;
  FoldCall call;

  STREW_DEVICE std::int64_t columns() const { return call.reduce.at.row; }
  STREW_DEVICE Chunk<Folded>& chunk(std::int64_t number, std::int64_t column) const {
    return static_cast<Chunk<Folded>*>(call.hot.summaries)[number * columns() + column];
  }
  /// Returns the term that an update adds to the sum.
  STREW_DEVICE Folded term(std::int64_t sorted, std::int64_t column) const {
    const One one{call};
    const Folded value = one.loaded(one.update(sorted, column).e[0]);
    return call.reduce.reduction == Reduction::kSub ? negative(value) : value;
  }
  STREW_DEVICE static Folded negative(Folded value) {
    if constexpr (std::is_floating_point_v<Folded>) {
      return -value;
    } else {
      return {static_cast<std::uint16_t>(value.bits ^ 0x8000u)};
    }
  }
  STREW_DEVICE static Folded plus(Folded a, Folded b) { return step<Reduction::kAdd>(a, b); }
  /// Calls `body` with the terms of sorted updates, in order.
  template <class Body>
  STREW_DEVICE void for_terms(std::int64_t from, std::int64_t end, std::int64_t column, const Body& body) const {
    for (std::int64_t i = from; i < end; i += kAhead) {
      Folded next[kAhead];
      STREW_UNROLL
      for (int j = 0; j < kAhead; ++j) {
        if (i + j < end) next[j] = term(i + j, column);
      }
      STREW_UNROLL
      for (int j = 0; j < kAhead; ++j) {
        if (i + j < end) body(next[j]);
      }
    }
  }
  /// Adds sorted updates to a sum of which each thread of the group has a copy.
  template <class Thread>
  STREW_DEVICE void add(const Thread& t, Folded& sum, std::int64_t from, std::int64_t end,
                        std::int64_t column) const {
    for (std::int64_t i = from; i < end; i += kGroupAhead * t.kGroup) {
      Folded own[kGroupAhead];
      STREW_UNROLL
      for (int j = 0; j < kGroupAhead; ++j) {
        const std::int64_t mine = i + j * t.kGroup + t.lane();
        own[j] = mine < end ? term(mine, column) : Folded{};
      }
      STREW_UNROLL
      for (int j = 0; j < kGroupAhead; ++j) {
        STREW_UNROLL
        for (int lane = 0; lane < t.kGroup; ++lane) {
          const Folded next = t.from_lane(own[j], lane);
          if (i + j * t.kGroup + lane < end) sum = plus(sum, next);
        }
      }
    }
  }

  STREW_DEVICE std::int64_t begin_of(std::int64_t run) const {
    return static_cast<std::int64_t>(call.hot.bounds[2 * run]);
  }
  STREW_DEVICE std::int64_t end_of(std::int64_t run) const {
    return static_cast<std::int64_t>(call.hot.bounds[2 * run + 1]);
  }
  /// True if all updates of a chunk have one destination.
  STREW_DEVICE bool within_run(std::int64_t number) const {
    const std::int64_t begin = number * call.hot.chunk;
    const std::uint64_t key = call.runs.key[begin];
    return key != call.runs.location_count && key == call.runs.key[begin + call.hot.chunk - 1];
  }
  /// Calls `body` for each column of each chunk with one destination. Some of these chunks belong to short runs.
  template <class Thread, class Body>
  STREW_DEVICE void for_chunks(const Thread& t, const Body& body) const {
    if (has_failed(call.reduce.state) || *call.hot.count == 0) return;
    const std::int64_t work = call.runs.count / call.hot.chunk * columns();
    for (std::int64_t w = t.index(); w < work; w += t.step()) {
      const std::int64_t number = w / columns();
      if (within_run(number)) body(number, w - number * columns());
    }
  }
  /// Calls `body` for each column of each long run, in all threads of one group.
  template <class Thread, class Body>
  STREW_DEVICE void for_runs(const Thread& t, const Body& body) const {
    if (has_failed(call.reduce.state)) return;
    const std::int64_t work = static_cast<std::int64_t>(*call.hot.count) * columns();
    for (std::int64_t w = t.index() / t.kGroup; w < work; w += t.step() / t.kGroup) {
      body(w / columns(), w % columns());
    }
  }
  STREW_DEVICE std::int64_t first_chunk(std::int64_t from) const {
    return (from + call.hot.chunk - 1) / call.hot.chunk;
  }
};

template <class Element>
struct SumChunks {
  HotFold<Element> fold;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    fold.for_chunks(t, [&](std::int64_t number, std::int64_t column) {
      const std::int64_t begin = number * fold.call.hot.chunk;
      auto sum = fold.term(begin, column);
      fold.for_terms(begin + 1, begin + fold.call.hot.chunk, column,
                     [&](auto update) { sum = fold.plus(sum, update); });
      fold.chunk(number, column).rough = sum;
    });
  }
};

template <class Element>
struct SumBeforeChunks {
  HotFold<Element> fold;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    fold.for_runs(t, [&](std::int64_t run, std::int64_t column) {
      const RunFold<Element, 1> one{fold.call};
      const std::int64_t begin = fold.begin_of(run);
      auto sum = one.first(begin, column).e[0];
      const std::int64_t end = fold.end_of(run) / fold.call.hot.chunk;
      std::int64_t number = fold.first_chunk(begin + (fold.call.include_self ? 0 : 1));
      for (; number < end; number += t.kGroup) {
        const std::int64_t mine = number + t.lane();
        const auto rough = mine < end ? fold.chunk(mine, column).rough : decltype(sum){};
        auto before = sum;
        for (int lane = 0; lane < t.kGroup && number + lane < end; ++lane) {
          if (lane == t.lane()) before = sum;
          sum = fold.plus(sum, t.from_lane(rough, lane));
        }
        if (mine < end) fold.chunk(mine, column).rough = before;
      }
    });
  }
};

template <class Element>
struct SummariseChunks {
  HotFold<Element> fold;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    using Folded = typename Element::Folded;
    fold.for_chunks(t, [&](std::int64_t number, std::int64_t column) {
      auto& chunk = fold.chunk(number, column);
      SumSummary<Folded> summary(binade_of(chunk.rough));
      const std::int64_t begin = number * fold.call.hot.chunk;
      fold.for_terms(begin, begin + fold.call.hot.chunk, column, [&](Folded update) { summary.add(update); });
      chunk.summary = summary;
    });
  }
};

template <class Element>
struct WalkChunks {
  HotFold<Element> fold;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    using Summary = SumSummary<typename Element::Folded>;
    fold.for_runs(t, [&](std::int64_t run, std::int64_t column) {
      const RunFold<Element, 1> one{fold.call};
      const std::int64_t begin = fold.begin_of(run);
      const std::int64_t end = fold.end_of(run);
      const std::int64_t length = fold.call.hot.chunk;
      auto value = one.first(begin, column);
      auto& sum = value.e[0];
      const std::int64_t from = fold.call.include_self ? begin : begin + 1;
      const std::int64_t first = fold.first_chunk(from);
      const std::int64_t last = end / length;
      const auto summary_of = [&](std::int64_t number) {
        return number < last ? fold.chunk(number, column).summary : Summary();
      };
      fold.add(t, sum, from, first * length, column);
      Summary next = summary_of(first + t.lane());
      for (std::int64_t number = first; number < last; number += t.kGroup) {
        const Summary own = next;
        next = summary_of(number + t.kGroup + t.lane());  // loaded while the inner loop runs
        for (int lane = 0; lane < t.kGroup && number + lane < last; ++lane) {
          if (own.from_lane(t, lane).apply(sum)) continue;
          fold.add(t, sum, (number + lane) * length, (number + lane + 1) * length, column);
        }
      }
      fold.add(t, sum, last * length, end, column);
      if (t.lane() == 0) one.finish(value, begin, end, column);
    });
  }
};

template <class Element>
void launch_hot(Queue& queue, const FoldCall& call) {
  const HotFold<Element> fold{call};
  const std::int64_t chunks = call.runs.count / call.hot.chunk * call.reduce.at.row;
  const std::int64_t runs = call.hot.most(call.runs.count) * call.reduce.at.row * Thread::kGroup;
  launch(queue, chunks, SumChunks<Element>{fold});
  launch(queue, runs, SumBeforeChunks<Element>{fold});
  launch(queue, chunks, SummariseChunks<Element>{fold});
  launch(queue, runs, WalkChunks<Element>{fold});
}

}  // namespace

std::int64_t summary_bytes(DType dtype, bool widens, Reduction reduction, std::int64_t chunks, std::int64_t row) {
  if (reduction != Reduction::kAdd && reduction != Reduction::kSub) return 0;
  std::int64_t bytes = 0;
  with_element(dtype, widens, [&](auto element) {
    using Folded = typename decltype(element)::Folded;
    if constexpr (kHasHotFold<decltype(element)>)
      bytes = static_cast<std::int64_t>(sizeof(Chunk<Folded>)) * chunks * row;
    return true;
  });
  return bytes;
}

void fold_hot_runs(Queue& queue, const FoldCall& call) {
  with_element(call.reduce.dtype, call.widens, [&](auto element) {
    if constexpr (kHasHotFold<decltype(element)>) launch_hot<decltype(element)>(queue, call);
    return true;
  });
}

}  // namespace strew::cuda
