// The ordered fold: each place takes its own updates, in order.
#include "cuda/kernels.h"
#include "cuda/steps.h"

namespace strew::cuda {
namespace {

// Elements that one lane folds at once.
template <class Stored, int kWide>
struct alignas(kWide == 1 ? alignof(Stored) : 16) Pack {
  static constexpr std::size_t kCount = kWide;
  Stored e[kCount];
};

// A group of lanes for each run and part of its row; kAhead updates are in flight.
template <class Element, int kWide>
struct FoldRuns {
  using Stored = typename Element::Stored;
  using Folded = typename Element::Folded;
  using Some = Pack<Stored, kWide>;
  static constexpr unsigned kAhead = kWide > 4 ? 4 : 8;

  FoldCall call;
  Lanes lanes;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    const Positions& at = call.reduce.at;
    if (refused(call.reduce.state)) return;
    const std::int64_t parts = ((at.row - 1) / kWide >> lanes.bits) + 1;
    const auto work = static_cast<std::int64_t>(*call.runs.run_count) * parts;
    const std::int64_t lane = t.index() & (lanes.count() - 1);
    for (std::int64_t w = t.index() >> lanes.bits; w < work; w += t.step() >> lanes.bits) {
      const std::int64_t run = parts == 1 ? w : w / parts;
      const std::int64_t column = (((w - run * parts) << lanes.bits) + lane) * kWide;
      if (column < at.row) fold_run(static_cast<std::int64_t>(call.runs.begin[run]), column);
    }
  }

 private:
  // Where the run of a key ends: steps of growing width, then halves.
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

  STREW_DEVICE Some update(std::int64_t sorted, std::int64_t column) const {
    const std::int64_t row = call.reduce.at.position_of(static_cast<std::int64_t>(call.position[sorted]));
    return *reinterpret_cast<const Some*>(static_cast<const Stored*>(call.reduce.updates) + row + column);
  }

  STREW_DEVICE Folded loaded(Stored stored) const {
    const Folded value = Element::load(stored);
    if (!call.scales) return value;
    const Folded alpha = Element::load(*reinterpret_cast<const Stored*>(call.alpha.data()));
    constexpr Reduction kTimes = std::is_same_v<Folded, Truth> ? Reduction::kAnd : Reduction::kMul;
    return ended(step<kTimes>(value, alpha));
  }

  STREW_DEVICE void fold_run(std::int64_t begin, std::int64_t column) const {
    const std::uint64_t key = call.runs.key[begin];
    const std::int64_t end = end_of(begin, key);
    auto* const place = reinterpret_cast<Some*>(static_cast<Stored*>(call.reduce.target) +
                                                call.reduce.at.offset(static_cast<std::int64_t>(key)) + column);
    Folded value[Some::kCount];
    const Some first = call.include_self ? *place : update(begin, column);
    STREW_UNROLL
    for (int e = 0; e < kWide; ++e) value[e] = call.include_self ? Element::load(first.e[e]) : loaded(first.e[e]);
    const std::int64_t from = call.include_self ? begin : begin + 1;
    for (std::int64_t i = from; i < end; i += kAhead) {
      Some next[kAhead];
      STREW_UNROLL
      for (unsigned j = 0; j < kAhead; ++j) {  // all loads first, then the chain of steps
        if (i + j < end) next[j] = update(i + j, column);
      }
      with_reduction<Folded>(call.reduce.reduction, [&](auto reduction) {
        STREW_UNROLL
        for (unsigned j = 0; j < kAhead; ++j) {
          if (i + j >= end) continue;
          STREW_UNROLL
          for (int e = 0; e < kWide; ++e) {
            value[e] = step<decltype(reduction)::value>(value[e], loaded(next[j].e[e]));
          }
        }
      });
    }
    Some result;
    STREW_UNROLL
    for (int e = 0; e < kWide; ++e) {
      if (from < end) value[e] = ended(value[e]);
      if (call.mean)
        value[e] = mean_of(value[e], static_cast<std::uint64_t>(end - begin) + (call.include_self ? 1 : 0));
      result.e[e] = Element::store(value[e]);
    }
    *place = result;
  }
};

template <class Element>
void launch_fold(Queue& queue, const FoldCall& fold) {
  // Integers of a reduction that atomics cannot do, and narrower types, are rare: an element at a time will do.
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

// Calls `visit` with the way that elements are folded; false where there is none.
template <class Visit>
bool with_element(DType dtype, bool widens, const Visit& visit) {
  using enum DType;
  switch (dtype) {
    case kFloat32:
      return visit(Own<float>());
    case kFloat64:
      return visit(Own<double>());
    case kFloat16:
      return widens ? visit(Widened<Half16>()) : visit(Own<Float16>());
    case kBFloat16:
      return widens ? visit(Widened<BHalf16>()) : visit(Own<BFloat16>());
    case kComplex64:
      return visit(Own<Complex<float>>());
    case kComplex128:
      return visit(Own<Complex<double>>());
    case kBool:
      return visit(Own<Truth>());
    case kInt8:
      return visit(Own<std::int8_t>());
    case kInt16:
      return visit(Own<std::int16_t>());
    case kInt32:
      return visit(Own<std::int32_t>());
    case kInt64:
      return visit(Own<std::int64_t>());
    case kUInt8:
      return visit(Own<std::uint8_t>());
    case kUInt16:
      return visit(Own<std::uint16_t>());
    case kUInt32:
      return visit(Own<std::uint32_t>());
    case kUInt64:
      return visit(Own<std::uint64_t>());
    case kFloat8E4M3FN:
      return widens && visit(Widened<Float8<3, 7, Special::kOneNan>>());
    case kFloat8E4M3FNUZ:
      return widens && visit(Widened<Float8<3, 8, Special::kNoSign>>());
    case kFloat8E5M2:
      return widens && visit(Widened<Float8<2, 15, Special::kInfinity>>());
    case kFloat8E5M2FNUZ:
      return widens && visit(Widened<Float8<2, 16, Special::kNoSign>>());
    default:
      return false;
  }
}

}  // namespace

void fold_runs(Queue& queue, const FoldCall& fold) {
  with_element(fold.reduce.dtype, fold.widens, [&](auto element) {
    launch_fold<decltype(element)>(queue, fold);
    return true;
  });
}

}  // namespace strew::cuda
