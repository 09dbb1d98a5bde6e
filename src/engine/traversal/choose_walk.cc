// Chooses tiles, prefetching and non-temporal stores.
#include "engine/traversal/choose_walk.h"

#include <algorithm>
#include <cstdlib>

#include "core/thresholds.h"
#include "engine/geometry/reach.h"
#include "engine/traversal/offset_block.h"

namespace strew {
namespace {

// Size of the update or output tensor in bytes; it exists in memory, so this does not overflow.
std::int64_t output_bytes(const Geometry& geometry) noexcept {
  return geometry.loop.count() * geometry.row * bit_width(geometry.dtype) / 8;
}

// PrefetchPlan::part, if a part fits the cache and most of its lines will be used.
std::int64_t choose_part(const Geometry& geometry) noexcept {
  if (geometry.loop.rank < 2 || geometry.components.size() != 1) return 0;
  const std::size_t inner = geometry.loop.at(geometry.loop.rank - 1);
  const std::int64_t part_stride = geometry.loop.stride[inner - 1][kData];
  const auto& [extent, stride, _] = geometry.components.front();
  const std::int64_t width = bit_width(geometry.dtype) / 8;
  if (geometry.loop.stride[inner][kData] != 0 || stride <= 0 || extent > usable_l2_bytes() / width / stride) {
    return 0;
  }
  const std::int64_t part = (extent - 1) * stride + geometry.row;
  const bool apart = part <= std::abs(part_stride) && part <= usable_l2_bytes() / width;
  return apart && geometry.loop.extent[inner] >= part * width / kCacheLineBytes ? part : 0;
}

// PrefetchPlan::indices.
bool prefetches_indices(const ChooseInput& input) noexcept {
  const std::int64_t step = std::abs(input.geometry.loop.inner_stride(kIndex)) * input.index_bytes;
  if (step == 0 || step > kCacheLineBytes) return false;
  return index_values_read(input.geometry) >= machine().l2_bytes / input.index_bytes;
}

// True if cache lines are used in order, about once each, so that the hardware prefetcher follows.
bool follows_itself(const ChooseInput& input, std::int64_t reached) noexcept {
  const std::int64_t row = std::max(input.geometry.row * element_bytes(input.geometry), kCacheLineBytes);
  return input.order.one_way && reached / row <= 2 * input.geometry.loop.count();
}

// The range that index values reach, as known before execution.
Range likely_offsets(const ChooseInput& input) noexcept {
  return reached_offsets(input.geometry, input.likely ? *input.likely : input.facts);
}

}  // namespace

std::int64_t choose_tile(const Geometry& geometry) noexcept {
  const LoopNest<3>& loop = geometry.loop;
  if (geometry.row != 1 || loop.rank < 2 || geometry.components.size() != 1 || !moves_bytes(geometry)) return 0;
  const std::size_t inner = loop.at(loop.rank - 1);
  // Each row of positions chooses from the same data.
  if (loop.stride[inner][kData] != 1 || loop.stride[inner - 1][kData] != 0) return 0;
  const std::int64_t rows =
      geometry.components.front().extent * bit_width(geometry.dtype) / 8;  // bytes of a column
  // A tile pays if its reads stay in L2 and the matrix does not fit L3.
  const bool fits = rows <= usable_l2_bytes() / OffsetBlock::kRun;
  return fits && rows > usable_l3_bytes() / loop.extent[inner] ? OffsetBlock::kRun : 0;
}

PrefetchPlan choose_prefetch(const ChooseInput& input, std::int64_t tile) noexcept {
  const Geometry& geometry = input.geometry;
  if (!moves_bytes(geometry)) return {};
  const Range reached = likely_offsets(input);
  const std::int64_t width = bit_width(geometry.dtype) / 8;
  PrefetchPlan prefetch;
  prefetch.indices = prefetches_indices(input);
  if (reached.end - reached.begin < prefetch_min_bytes() / width) return prefetch;
  prefetch.part = choose_part(geometry);
  if (prefetch.part > 0) return prefetch;
  if (tile > 0) return prefetch;
  if (follows_itself(input, (reached.end - reached.begin) * width)) return prefetch;
  prefetch.bytes = std::min(geometry.row * width, kMaxPrefetchedRowBytes);
  prefetch.distance = prefetch_distance(prefetch.bytes);
  return prefetch;
}

bool choose_streams(const ChooseInput& input, std::int64_t axis, std::int64_t tile) noexcept {
  const Geometry& geometry = input.geometry;
  if (input.is_scatter || axis != kAllPositions || tile != 0) return false;
  if (!in_order(geometry) || !moves_bytes(geometry)) return false;
  const std::int64_t width = bit_width(geometry.dtype) / 8;
  const std::int64_t bytes = output_bytes(geometry);
  if (geometry.row * width < kMinStreamedElementBytes) return false;
  const Range reached = likely_offsets(input);
  const std::int64_t data = std::min(reached.end - reached.begin, bytes / width) * width;
  return bytes + data + index_values_read(geometry) * input.index_bytes >= usable_l3_bytes();
}

}  // namespace strew
