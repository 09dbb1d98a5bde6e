// Computes the pace of prefetching.
#include "engine/traversal/prefetch_plan.h"

#include <algorithm>

#include "core/arithmetic.h"
#include "core/machine.h"
#include "core/prefetch.h"
#include "core/thresholds.h"
#include "engine/traversal/offset_block.h"

namespace strew {
PrefetchSteps::PrefetchSteps(const PrefetchPlan& prefetch, const std::byte* data, std::int64_t width) noexcept
    // A misaligned row touches one more cache line.
    : one_line(kCacheLineBytes % prefetch.bytes == 0 && cache_line_offset(data) % prefetch.bytes == 0),
      step(OffsetBlock::kRun),
      most(OffsetBlock::kRun),
      runs(OffsetBlock::kRun) {
  if (prefetch.distance > 0) {
    const std::int64_t lines = one_line ? 1 : div_up(prefetch.bytes + cache_line_offset(data), kCacheLineBytes);
    step = std::clamp<std::int64_t>(kPrefetchBurstBytes / (lines * kCacheLineBytes), 1, kPrefetchedRows);
  }
  if (prefetch.part > 0) {
    // Small parts are prefetched together, but not all positions of a block, which would be too large a burst.
    most = OffsetBlock::kRun / 2;
    runs = std::max<std::int64_t>(kPrefetchBurstBytes / (prefetch.part * width), 1);
  }
}

void prefetch_next_parts(const Geometry& geometry, std::int64_t width, const std::byte* part,
                         std::int64_t part_bytes, std::int64_t run, std::int64_t walked) noexcept {
  const std::size_t inner = geometry.loop.at(geometry.loop.rank - 1);
  const std::int64_t extent = geometry.loop.extent[inner];
  const std::int64_t between = geometry.loop.stride[inner - 1][kData] * width;
  const std::int64_t parts = walked / extent;
  if (parts > 1) {
    for (std::int64_t i = parts; i < 2 * parts; ++i) {
      prefetch_bytes(part + i * between, part_bytes);
    }
    return;
  }
  const std::int64_t begin = (extent - run) * part_bytes / extent;
  const std::int64_t end = (extent - run + walked) * part_bytes / extent;
  if (end > begin) prefetch_bytes(part + between + begin, end - begin);
}

}  // namespace strew
