// Order-independent reductions: each update is combined with its destination atomically.
#include "cuda/kernels.h"
#include "cuda/steps.h"

namespace strew::cuda {
namespace {

template <class T>
struct CombineAtomically {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  Reduce reduce;
  Lanes lanes;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    const Positions& at = reduce.at;
    if (has_failed(reduce.state)) return;
    const auto* const updates = static_cast<const T*>(reduce.updates);
    auto* const target = static_cast<Bits*>(reduce.target);
    for (std::int64_t i = t.index() >> lanes.bits; i < at.count; i += t.step() >> lanes.bits) {
      const Positions::Location location = at[i];
      if (!location.somewhere) continue;
      for (std::int64_t c = t.index() & (lanes.count() - 1); c < at.row; c += lanes.count()) {
        combine(t, target + at.offset(location.number) + c, updates[location.position + c]);
      }
    }
  }

 private:
  template <class Thread>
  STREW_DEVICE void combine(const Thread& t, Bits* destination, T update) const {
    if constexpr (std::is_integral_v<T>) {
      const auto bits = static_cast<Bits>(update);
      if (reduce.reduction == Reduction::kAdd) return static_cast<void>(t.atomic_add(destination, bits));
      if (reduce.reduction == Reduction::kSub) return static_cast<void>(t.atomic_add(destination, Bits{0} - bits));
    }
    // Skips updates without effect: a maximum of n updates in random order changes only about ln n times.
    with_reduction<T>(reduce.reduction, [&](auto reduction) {
      Bits there = t.load(destination);
      while (true) {
        const auto wanted =
            std::bit_cast<Bits>(ended(step<decltype(reduction)::value>(std::bit_cast<T>(there), update)));
        if (wanted == there) return;
        const Bits found = t.exchange_if(destination, there, wanted);
        if (found == there) return;
        there = found;
      }
    });
  }
};

template <class T>
void launch_combine(Queue& queue, const Reduce& reduce) {
  const Lanes lanes(reduce.at.row);
  launch(queue, reduce.at.count << lanes.bits, CombineAtomically<T>{reduce, lanes});
}

}  // namespace

bool has_atomic(DType dtype, Reduction reduction) noexcept {
  using enum DType;
  if (dtype == kFloat32 || dtype == kFloat64) return reduction == Reduction::kMax || reduction == Reduction::kMin;
  return (dtype == kInt32 || dtype == kInt64 || dtype == kUInt32 || dtype == kUInt64) &&
         reduction != Reduction::kNone && reduction != Reduction::kMean;
}

void combine_atomically(Queue& queue, const Reduce& reduce) {
  if (reduce.dtype == DType::kFloat32) return launch_combine<float>(queue, reduce);
  if (reduce.dtype == DType::kFloat64) return launch_combine<double>(queue, reduce);
  if (reduce.dtype == DType::kInt32) return launch_combine<std::int32_t>(queue, reduce);
  if (reduce.dtype == DType::kInt64) return launch_combine<std::int64_t>(queue, reduce);
  if (reduce.dtype == DType::kUInt32) return launch_combine<std::uint32_t>(queue, reduce);
  launch_combine<std::uint64_t>(queue, reduce);
}

}  // namespace strew::cuda
