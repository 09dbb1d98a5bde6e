// Vectorised progressions; most runs are elements along an axis.
#include "kernel/progression.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/progression.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <bool kAdds>
void go_on(std::int64_t* numbers, std::int64_t runs, std::int64_t run, const Progression& progression) {
  const hn::CappedTag<std::int64_t, 8> tag;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  const auto [first, step, between] = progression;
  alignas(64) std::int64_t multiples[8];
  for (std::int64_t i = 0; i < lanes; ++i) multiples[i] = i * step;
  const auto front = hn::Load(tag, multiples);
  const auto on = hn::Set(tag, lanes * step);
  for (std::int64_t r = 0; r < runs; ++r, numbers += run) {
    const std::int64_t base = first + r * between;
    auto next = hn::Add(front, hn::Set(tag, base));
    std::int64_t i = 0;
    for (; i + lanes <= run; i += lanes, next = hn::Add(next, on)) {
      hn::StoreU(kAdds ? hn::Add(hn::LoadU(tag, numbers + i), next) : next, tag, numbers + i);
    }
    for (; i < run; ++i) numbers[i] = (kAdds ? numbers[i] : 0) + base + i * step;
  }
}

ProgressionLoops loops() { return {&go_on<true>, &go_on<false>}; }

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(loops);
ProgressionLoops progression_loops() noexcept { return HWY_DYNAMIC_DISPATCH(loops)(); }
}  // namespace strew
#endif
