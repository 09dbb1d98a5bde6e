// Makes a Geometry: contiguous trailing axes become the row, the others the loop.
#include "engine/geometry/geometry.h"

#include "core/plan_access.h"
#include "index/check.h"

namespace strew {
namespace {

std::int64_t stride_of(const Shape& strides, std::int64_t axis) { return axis < 0 ? 0 : strides[axis]; }

// Rows of a packed type that are whole bytes move as bytes, which is faster and lets threads divide the work.
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

}  // namespace

bool in_order(const Geometry& geometry) noexcept {
  std::int64_t stride = geometry.row;
  for (std::int64_t axis = geometry.loop.rank - 1; axis >= 0; --axis) {
    const std::size_t a = geometry.loop.at(axis);
    if (geometry.loop.stride[a][kPosition] != stride) return false;
    stride *= geometry.loop.extent[a];
  }
  return true;
}

Geometry make_geometry(const Plan& plan, const OperandStrides& strides) {
  Geometry geometry;
  geometry.dtype = plan.dtype();
  const auto& axes = loop_of(plan);
  std::int64_t outer = axes.size();
  for (; outer > 0;
       --outer) {  // the row: trailing axes that are contiguous on both sides and along which no index moves
    const LoopAxis& axis = axes[outer - 1];
    if (axis.extent != 1 && stride_of(strides.indices, axis.index_axis) != 0) break;
    const bool contiguous = stride_of(strides.data, axis.data_axis) == geometry.row &&
                            stride_of(strides.position, axis.position_axis) == geometry.row;
    if (axis.extent != 1 && !contiguous) break;
    geometry.row *= axis.extent;
  }
  for (std::int64_t i = 0; i < outer; ++i) {
    geometry.loop.push(axes[i].extent, {stride_of(strides.data, axes[i].data_axis),
                                        stride_of(strides.position, axes[i].position_axis),
                                        stride_of(strides.indices, axes[i].index_axis)});
  }
  for (std::int64_t axis : plan.indexed_axes()) {
    const std::int64_t extent = chosen_extent(plan, axis);
    geometry.components.push_back(component_of(extent, strides.data[axis], plan.rules().negative_indices));
  }
  if (plan.tuples()) geometry.component_stride = strides.indices[strides.indices.rank() - 1];
  if (is_packed(geometry.dtype)) pack_into_bytes(geometry);
  return geometry;
}

}  // namespace strew
