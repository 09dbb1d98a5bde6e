// Loops over lists of offsets, compiled once for each instruction set.
#include "kernel/kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/offset_loops.cc"
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

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

// Processes whole vectors of pairs and returns the number of processed pairs. Uses an intrinsic, since Highway's
// Compress is slow before version 1.0.5 and compressing stores are slow on AMD processors.
std::int64_t keep_vectors(std::int64_t begin, std::int64_t end, std::int64_t* offset, std::int64_t* position,
                          std::int64_t count, std::int64_t& kept) {
  const hn::FixedTag<std::int64_t, 8> tag;
  const auto lowest = hn::Set(tag, begin);
  const auto highest = hn::Set(tag, end - 1);
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const auto offsets = hn::LoadU(tag, offset + i);
    const auto positions = hn::LoadU(tag, position + i);
    const auto inside = hn::Not(hn::Or(hn::Lt(offsets, lowest), hn::Gt(offsets, highest)));
    // Stores whole vectors. The lanes after the kept pairs overwrite only pairs that were read before.
    _mm512_storeu_si512(offset + kept, _mm512_maskz_compress_epi64(inside.raw, offsets.raw));
    _mm512_storeu_si512(position + kept, _mm512_maskz_compress_epi64(inside.raw, positions.raw));
    kept += static_cast<std::int64_t>(hn::CountTrue(tag, inside));
  }
  return i;
}

#else

std::int64_t keep_vectors(std::int64_t, std::int64_t, std::int64_t*, std::int64_t*, std::int64_t, std::int64_t&) {
  return 0;
}

#endif

std::int64_t keep(std::int64_t begin, std::int64_t end, std::int64_t* offset, std::int64_t* position,
                  std::int64_t count) {
  const auto length = static_cast<std::uint64_t>(end - begin);
  std::int64_t kept = 0;
  for (std::int64_t i = keep_vectors(begin, end, offset, position, count, kept); i < count; ++i) {
    const std::int64_t here = offset[i];
    offset[kept] = here;
    position[kept] = position[i];
    kept += static_cast<std::uint64_t>(here - begin) < length ? 1 : 0;
  }
  return kept;
}

ProgressionLoops progressions() { return {&go_on<true>, &go_on<false>}; }
CompactInRange compaction() { return &keep; }

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(progressions);
HWY_EXPORT(compaction);
ProgressionLoops progression_loops() noexcept { return HWY_DYNAMIC_DISPATCH(progressions)(); }
CompactInRange compact_in_range() noexcept { return HWY_DYNAMIC_DISPATCH(compaction)(); }
}  // namespace strew
#endif
