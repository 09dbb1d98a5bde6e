// Computes the layout of a call from its plan and strides.
#include "cuda/layout.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/view_check.h"
#include "index/check.h"

namespace strew::cuda {
namespace {

// Returns the strides of the list of numbers that a check writes (TupleCheck::chosen or StartCheck::chosen).
Shape chosen_strides(const Call& call) {
  const Plan& plan = call.plan;
  if (writes_out(plan)) return {plan.position_shape()[plan.indexed_axes().front()], 1};
  if (plan.op() == OpKind::kTensorScatter) return {1};
  Shape strides = tuple_shape(*call.operands.indices, make_target(plan));
  std::int64_t count = 1;
  for (std::int64_t axis = strides.rank() - 1; axis >= 0; --axis) {
    const std::int64_t extent = strides[axis];
    strides[axis] = extent == 1 ? 0 : count;
    count *= extent;
  }
  if (plan.tuples()) strides.push_back(1);
  return strides;
}

Geometry make_call_geometry(const Call& call) {
  const bool scatters = call.plan.is_scatter();
  return make_geometry(call.plan,
                       {strides_of(scatters ? call.output : call.operands.data),
                        strides_of(scatters ? *call.operands.updates : call.output), chosen_strides(call)});
}

// Returns the greatest common divisor of all strides of data.
std::int64_t compute_unit(const Geometry& geometry) {
  std::int64_t unit = 0;
  for (std::int64_t axis = 0; axis < geometry.loop.rank; ++axis) {
    unit = std::gcd(unit, geometry.loop.stride[geometry.loop.at(axis)][kData]);
  }
  for (const auto& component : geometry.components) unit = std::gcd(unit, component.stride);
  return unit == 0 ? 1 : unit;
}

// The bounds of all sums of coordinate * step over the added axes: the offset that makes the sums non-negative,
// and the difference between the largest and the smallest sum.
struct Reach {
  std::int64_t origin = 0;
  std::int64_t span = 0;

  void add(std::int64_t extent, std::int64_t step) {
    const std::int64_t far = std::max<std::int64_t>(extent - 1, 0) * step;
    origin -= std::min<std::int64_t>(far, 0);
    span += std::abs(far);
  }
};

TupleCheck tuple_check(const Call& call, const Geometry& geometry, std::int64_t unit) {
  const TensorView& indices = *call.operands.indices;
  const IndexTarget target = make_target(call.plan);
  const Shape strides = strides_of(indices);
  const Shape shape = tuple_shape(indices, target);
  TupleCheck check;
  check.indices = indices.data();
  check.dtype = indices.dtype();
  check.count = element_count(shape);
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) check.tuples.push(shape[axis], {strides[axis]});
  if (target.tuples) check.component_stride = strides[strides.rank() - 1];
  check.rules = call.plan.rules();
  for (IndexComponent component : geometry.components) {
    component.stride /= unit;
    check.component[static_cast<std::size_t>(check.components++)] = component;
  }
  return check;
}

StartCheck start_check(const Call& call, const Geometry& geometry, std::int64_t unit) {
  const Plan& plan = call.plan;
  const std::int64_t axis = plan.indexed_axes().front();
  StartCheck check;
  if (call.operands.indices) {
    check.starts = call.operands.indices->data();
    check.dtype = call.operands.indices->dtype();
    check.stride = strides_of(*call.operands.indices)[0];
  }
  check.batch = plan.data().shape[0];
  check.length = plan.position_shape()[axis];
  check.capacity = plan.data().shape[axis];
  check.circular = plan.mode() == WriteMode::kCircular;
  check.numbers = writes_out(plan) ? check.length : 1;
  check.step = geometry.components.front().stride / unit;
  return check;
}

std::int64_t common_bytes(std::int64_t bytes, const void* address) {
  const auto lowest = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) & 15u);
  return std::gcd(std::gcd(bytes, lowest), std::int64_t{16});
}

}  // namespace

Layout lay_out(const Call& call, bool wide) {
  const Plan& plan = call.plan;
  Layout layout;
  layout.geometry = make_call_geometry(call);
  const Geometry& geometry = layout.geometry;
  Positions& at = layout.at;
  at.loop = geometry.loop;
  at.count = geometry.loop.count();
  at.row = geometry.row;
  at.in_order = in_order(geometry);
  at.unit = compute_unit(geometry);
  // A gather from empty data may still fill its output.
  const bool fills = !plan.is_scatter() && plan.rules().out_of_bounds == OutOfBounds::kFill;
  layout.moves = !geometry.empty() && (plan.data_count() > 0 || fills);

  Reach loop;
  for (std::int64_t a = 0; a < at.loop.rank; ++a) {
    std::int64_t& stride = at.loop.stride[at.loop.at(a)][kData];
    stride /= at.unit;
    loop.add(at.loop.extent[at.loop.at(a)], stride);
  }
  Reach components;
  for (const auto& [extent, stride, _] : geometry.components) components.add(extent, stride / at.unit);
  at.origin = loop.origin;
  at.lowest = -(loop.origin + components.origin) * at.unit;
  at.location_count = loop.span + components.span + 1;
  constexpr std::int64_t kNarrow = std::int64_t{UINT32_MAX} - 1;
  layout.wide = wide || at.location_count >= kNarrow || at.count >= kNarrow;

  if (plan.op() == OpKind::kTensorScatter) {
    layout.starts = start_check(call, geometry, at.unit);
    layout.starts->origin = components.origin;
    layout.chosen = layout.moves ? layout.starts->batch * layout.starts->numbers : 0;
  } else if (plan.index_count() > 0) {
    layout.tuples = tuple_check(call, geometry, at.unit);
    layout.tuples->origin = components.origin;
    layout.chosen = layout.moves ? layout.tuples->count : 0;
  }

  const std::int64_t width = std::max(bit_width(geometry.dtype) / 8, 1);
  std::int64_t common = std::gcd(at.row * width, at.unit * width);
  common = std::gcd(common, at.lowest * width);
  for (std::int64_t a = 0; a < at.loop.rank; ++a) {
    common = std::gcd(common, at.loop.stride[at.loop.at(a)][kPosition] * width);
  }
  common = common_bytes(common, call.output.data());
  const TensorView& from = plan.is_scatter() ? *call.operands.updates : call.operands.data;
  layout.unit_bytes = static_cast<int>(common_bytes(common, from.data()));
  return layout;
}

Columns in_columns(const Positions& at) {
  Columns columns{at, 1};
  LoopNest<3>& loop = columns.at.loop;
  loop.rank = 0;
  for (const bool stays : {false, true}) {
    for (std::size_t axis = 0; axis < at.loop.at(at.loop.rank); ++axis) {
      if ((at.loop.stride[axis][kData] == 0) != stays) continue;
      loop.extent[loop.at(loop.rank)] = at.loop.extent[axis];
      loop.stride[loop.at(loop.rank++)] = at.loop.stride[axis];
      if (stays) columns.steps *= at.loop.extent[axis];
    }
  }
  columns.at.in_order = false;
  return columns;
}

bool same_numbers(const Layout& a, const Layout& b) {
  if (a.wide != b.wide || a.chosen != b.chosen || a.moves != b.moves) return false;
  if (a.at.loop.rank != b.at.loop.rank || a.at.origin != b.at.origin || a.at.location_count != b.at.location_count)
    return false;
  for (std::size_t axis = 0; axis < a.at.loop.at(a.at.loop.rank); ++axis) {
    const auto& mine = a.at.loop.stride[axis];
    const auto& yours = b.at.loop.stride[axis];
    if (a.at.loop.extent[axis] != b.at.loop.extent[axis]) return false;
    if (mine[kData] != yours[kData] || mine[kIndex] != yours[kIndex]) return false;
  }
  const TupleCheck& mine = *a.tuples;
  const TupleCheck& yours = *b.tuples;
  const auto same = [](const IndexComponent& x, const IndexComponent& y) {
    return x.extent == y.extent && x.stride == y.stride;
  };
  const auto* const end = mine.component.data() + mine.components;
  return mine.rules == yours.rules && mine.origin == yours.origin && mine.components == yours.components &&
         mine.component_stride == yours.component_stride &&
         std::equal(mine.component.data(), end, yours.component.data(), same);
}

Positions in_units(Positions at, std::int64_t element_bytes, std::int64_t unit_bytes) {
  const auto scale = [&](std::int64_t& elements) { elements = elements * element_bytes / unit_bytes; };
  for (std::int64_t a = 0; a < at.loop.rank; ++a) scale(at.loop.stride[at.loop.at(a)][kPosition]);
  scale(at.row);
  scale(at.unit);
  scale(at.lowest);
  return at;
}

Move copy_of_data(const Call& call, int& unit_bytes) {
  const TensorView& data = call.operands.data;
  const Shape from = strides_of(data);
  const Shape to = strides_of(call.output);
  Move move;
  Positions& at = move.at;
  std::int64_t axis = data.rank();
  for (at.row = 1; axis > 0; --axis) {
    const std::int64_t extent = data.shape()[axis - 1];
    if (extent != 1 && (from[axis - 1] != at.row || to[axis - 1] != at.row)) break;
    at.row *= extent;
  }
  std::int64_t common = at.row;
  for (std::int64_t a = 0; a < axis; ++a) {
    at.loop.push(data.shape()[a], {from[a], to[a], 0});
    if (data.shape()[a] != 1) common = std::gcd(common, std::gcd(from[a], to[a]));
  }
  at.count = at.loop.count();
  const std::int64_t width = bit_width(data.dtype()) / 8;
  unit_bytes = static_cast<int>(common_bytes(common_bytes(common * width, data.data()), call.output.data()));
  for (std::int64_t a = 0; a < at.loop.rank; ++a) {
    auto& stride = at.loop.stride[at.loop.at(a)];
    stride[kData] = stride[kData] * width / unit_bytes;
  }
  at = in_units(at, width, unit_bytes);
  at.unit = 1;
  move.from = data.data();
  move.to = call.output.data();
  return move;
}

}  // namespace strew::cuda
