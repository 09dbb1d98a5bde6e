// Bounds and multiples of offsets.
#include "engine/geometry/reach.h"

#include <algorithm>
#include <bit>

namespace strew {
namespace {

constexpr int kMaxUnit = 30;

}  // namespace

bool moves_bytes(const Geometry& geometry) noexcept {
  return geometry.dtype != DType::kString && !is_packed(geometry.dtype);
}

std::int64_t index_values_read(const Geometry& geometry) noexcept {
  std::int64_t count = 1;
  for (std::int64_t axis = 0; axis < geometry.loop.rank; ++axis) {
    const std::size_t a = geometry.loop.at(axis);
    if (geometry.loop.stride[a][kIndex] != 0) count *= geometry.loop.extent[a];
  }
  return count;
}

std::int64_t free_axis(const Geometry& geometry, std::int64_t extent_from) noexcept {
  for (std::int64_t axis = 0; axis < geometry.loop.rank; ++axis) {
    const std::size_t a = geometry.loop.at(axis);
    if (geometry.loop.stride[a][kData] != 0 && geometry.loop.extent[a] >= extent_from) return axis;
  }
  return kAllPositions;
}

Range reached_offsets(const Geometry& geometry, const IndexStatistics& facts) noexcept {
  Range range{0, 0};
  const auto reach = [&range](std::int64_t from, std::int64_t to) {
    range.begin += std::min(from, to);
    range.end += std::max(from, to);
  };
  for (std::int64_t axis = 0; axis < geometry.loop.rank; ++axis) {
    const std::size_t a = geometry.loop.at(axis);
    reach(0, (geometry.loop.extent[a] - 1) * geometry.loop.stride[a][kData]);
  }
  bool first = true;
  for (const auto& component : geometry.components) {
    const std::int64_t low = first ? facts.lowest : 0;
    const std::int64_t high = first ? facts.highest : component.extent - 1;
    reach(low * component.stride, high * component.stride);
    first = false;
  }
  ++range.end;
  return range;
}

int offset_unit(const Geometry& geometry) noexcept {
  std::uint64_t all = std::uint64_t{1} << kMaxUnit;
  for (std::int64_t axis = 0; axis < geometry.loop.rank; ++axis) {
    all |= static_cast<std::uint64_t>(geometry.loop.stride[geometry.loop.at(axis)][kData]);
  }
  for (const auto& component : geometry.components) all |= static_cast<std::uint64_t>(component.stride);
  return std::countr_zero(all);
}

}  // namespace strew
