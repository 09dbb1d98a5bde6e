// Makes a Geometry: contiguous trailing axes become the row, and the others become the loop.
#include "engine/geometry/geometry.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <utility>

#include "kernel/kernel.h"

namespace strew {
namespace {

std::int64_t stride_of(const Shape& strides, std::int64_t axis) { return axis < 0 ? 0 : strides[axis]; }

// The axes of a loop before their order is final.
class Axes {
 public:
  Axes(const Plan& plan, const OperandStrides& strides) : is_scatter_(plan.is_scatter()) {
    for (const auto& axis : loop_of(plan)) {
      if (axis.extent == 1) continue;
      axes_[LoopNest<3>::at(count_++)] = {
          axis.extent,
          {stride_of(strides.data, axis.data_axis), stride_of(strides.position, axis.position_axis),
           stride_of(strides.indices, axis.index_axis)}};
    }
  }

  // Moves axes into the row if they are contiguous in kData and kPosition and no index value changes along them.
  void take_row(std::int64_t& row, LoopOrder order) noexcept {
    for (std::int64_t i = count_ - 1; i >= 0;) {
      const Axis& axis = at(i);
      const bool fits = axis.stride[kIndex] == 0 && axis.stride[kData] == row && axis.stride[kPosition] == row;
      if (!fits && order == LoopOrder::kOfPlan) return;
      i = fits ? take(i, row) : i - 1;
    }
  }

  // Moves axes into the row if the source repeats one element along them. Returns true if the row has grown.
  bool take_repeated_row(std::int64_t& row, std::int64_t element_bytes) noexcept {
    const LoopOperand source = is_scatter_ ? kPosition : kData;
    const LoopOperand target = is_scatter_ ? kData : kPosition;
    for (std::int64_t i = count_ - 1; i >= 0 && row > 0;) {
      Axis& axis = at(i);
      std::int64_t part = kRepeatedBytes / element_bytes / row;
      if (axis.stride[kIndex] != 0 || axis.stride[source] != 0 || axis.stride[target] != row || part < 2) {
        --i;
      } else if (axis.extent <= part) {
        i = take(i, row);
      } else {
        while (axis.extent % part != 0) --part;
        axis.extent /= part;
        axis.stride[target] *= part;
        row *= part;
        --i;
      }
    }
    return row > 1;
  }

  // Moves axes with longer strides outward. `chosen`: the stride of the axis that index values address.
  void sort(std::int64_t chosen) noexcept {
    for (std::int64_t i = 1; i < count_; ++i) {
      for (std::int64_t j = i; j > 0 && are_swapped(at(j - 1), at(j), chosen); --j) std::swap(at(j - 1), at(j));
    }
  }

  void push_to(LoopNest<3>& loop) const noexcept {
    for (std::int64_t i = 0; i < count_; ++i) {
      const Axis& axis = axes_[LoopNest<3>::at(i)];
      loop.push(axis.extent, axis.stride);
    }
  }

 private:
  struct Axis {
    std::int64_t extent;
    LoopNest<3>::Offsets stride;
  };

  Axis& at(std::int64_t i) noexcept { return axes_[LoopNest<3>::at(i)]; }

  // Moves axis i into the row. Returns the last axis, to search again: any axis may continue the longer row.
  std::int64_t take(std::int64_t i, std::int64_t& row) noexcept {
    row *= at(i).extent;
    for (--count_; i < count_; ++i) at(i) = at(i + 1);
    return count_ - 1;
  }

  // True if the stride along `inner` is longer in kPosition and not shorter in kData. Two axes of a scatter whose
  // data strides are both 0 keep their order, which is the order of an element's updates.
  bool are_swapped(const Axis& outer, const Axis& inner, std::int64_t chosen) const noexcept {
    if (outer.stride[kPosition] == 0) return false;
    if (std::abs(inner.stride[kPosition]) <= std::abs(outer.stride[kPosition])) return false;
    if (is_scatter_ && outer.stride[kData] == 0 && inner.stride[kData] == 0) return false;
    const auto in_data = [&](const Axis& axis) {
      return axis.stride[kData] == 0 ? chosen : std::abs(axis.stride[kData]);
    };
    return in_data(inner) >= in_data(outer);
  }

  bool is_scatter_;
  std::int64_t count_ = 0;
  std::array<Axis, kMaxRank> axes_;
};

// Treats packed elements as bytes if rows are whole bytes, which is faster and lets threads divide the work.
void pack_into_bytes(Geometry& geometry) {
  const std::int64_t per_byte = 8 / bit_width(geometry.dtype);
  bool whole = geometry.row % per_byte == 0;
  for (std::int64_t axis = 0; axis < geometry.loop.rank; ++axis) {
    const auto& stride = geometry.loop.stride[geometry.loop.at(axis)];
    whole = whole && stride[kData] % per_byte == 0 && stride[kPosition] % per_byte == 0;
  }
  for (const auto& component : geometry.components) whole = whole && component.stride % per_byte == 0;
  if (!whole) return;
  geometry.dtype = DType::kUInt8;
  geometry.row /= per_byte;
  for (std::int64_t axis = 0; axis < geometry.loop.rank; ++axis) {
    auto& stride = geometry.loop.stride[geometry.loop.at(axis)];
    stride[kData] /= per_byte;
    stride[kPosition] /= per_byte;
  }
  for (auto& component : geometry.components) component.stride /= per_byte;
}

constexpr int kMaxUnit = 30;

}  // namespace

bool in_order(const Geometry& geometry) noexcept {
  if (geometry.repeats) return false;
  std::int64_t stride = geometry.row;
  for (std::int64_t axis = geometry.loop.rank - 1; axis >= 0; --axis) {
    const std::size_t a = geometry.loop.at(axis);
    if (geometry.loop.stride[a][kPosition] != stride) return false;
    stride *= geometry.loop.extent[a];
  }
  return true;
}

Geometry make_geometry(const Plan& plan, const OperandStrides& strides, LoopOrder order) {
  Geometry geometry;
  geometry.dtype = plan.dtype();
  for (std::int64_t axis : plan.indexed_axes()) {
    const std::int64_t extent = chosen_extent(plan, axis);
    geometry.components.push_back(make_component(extent, strides.data[axis], plan.rules().negative_indices));
  }
  if (plan.tuples()) geometry.component_stride_values = strides.indices[strides.indices.rank() - 1];
  Axes axes(plan, strides);
  axes.take_row(geometry.row, order);
  if (order == LoopOrder::kOfMemory) {
    if (geometry.row == 1 && moves_bytes(geometry)) {
      geometry.repeats = axes.take_repeated_row(geometry.row, element_bytes(geometry));
    }
    if (!geometry.components.empty()) axes.sort(std::abs(geometry.components.front().stride));
  }
  axes.push_to(geometry.loop);
  if (is_packed(geometry.dtype)) pack_into_bytes(geometry);
  return geometry;
}

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
