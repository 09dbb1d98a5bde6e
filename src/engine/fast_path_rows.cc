// Offsets of the rows of small calls: first all index values, then the other axes.
#include <array>
#include <span>

#include "core/loop_nest.h"
#include "core/plan_access.h"
#include "core/thresholds.h"
#include "engine/fast_path.h"
#include "index/index_value.h"
#include "index/rules.h"
#include "index/scan.h"
#include "kernel/offset_loops.h"

namespace strew {
namespace {

constexpr std::int64_t kMaxAxes = 8;

// The stride of an axis of dense data.
std::int64_t stride_of(const Shape& shape, std::int64_t axis) noexcept {
  std::int64_t stride = 1;
  for (std::int64_t d = axis + 1; d < shape.rank(); ++d) stride *= shape[d];
  return stride;
}

template <class Index>
bool resolve_few(const std::byte* value, std::int64_t count, IndexComponent axis, std::int64_t* offsets) noexcept {
  bool ok = true;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = load_index<Index>(value + i * static_cast<std::int64_t>(sizeof(Index)));
    const std::int64_t coordinate = from_front(index, axis.from_end);
    const bool inside = static_cast<std::uint64_t>(coordinate) < static_cast<std::uint64_t>(axis.extent);
    ok &= inside;
    offsets[i] = inside ? coordinate * axis.stride : 0;
  }
  return ok;
}

// Writes the offsets of the tuples, without the other axes.
bool resolve_tuples(const Plan& plan, const std::byte* values, std::int64_t* offsets) noexcept {
  const auto& indexed = plan.indexed_axes();
  const std::int64_t tuples = plan.index_count() / indexed.rank();
  std::array<IndexComponent, static_cast<std::size_t>(kMaxAxes)> components;
  std::int64_t stride = stride_of(plan.data().shape, indexed[indexed.rank() - 1]);
  for (std::int64_t c = indexed.rank() - 1; c >= 0; --c) {
    const std::int64_t extent = plan.data().shape[indexed[c]];
    components[static_cast<std::size_t>(c)] = make_component(extent, stride, plan.rules().negative_indices);
    stride *= extent;
  }
  if (indexed.rank() == 1 && tuples <= kPlainLoopRows) {
    return visit_index_type(plan.indices().dtype, [&](auto tag) {
      return resolve_few<decltype(tag)>(values, tuples, components[0], offsets);
    });
  }
  return index_loops(plan.indices().dtype)
      .resolve({values, indexed.rank(), 1, tuples},
               std::span(components).first(static_cast<std::size_t>(indexed.rank())), offsets);
}

// GatherElements and ScatterElements: adds the offsets of all axes except the indexed one.
void add_element_bases(const Plan& plan, std::int64_t count, std::int64_t* offsets) noexcept {
  const Shape& extents = plan.indices().shape;
  const Shape& data = plan.data().shape;
  std::array<std::int64_t, static_cast<std::size_t>(kMaxAxes)> strides;
  std::int64_t stride = 1;
  for (std::int64_t d = data.rank() - 1; d >= 0; --d) {
    strides[static_cast<std::size_t>(d)] = d == plan.indexed_axes().front() ? 0 : stride;
    stride *= data[d];
  }
  LoopNest<1> loop;  // with joined axes, since most extents are small
  for (std::int64_t d = 0; d < data.rank(); ++d) loop.push(extents[d], {strides[static_cast<std::size_t>(d)]});
  if (loop.rank == 0) return;  // one position
  const std::size_t inner = loop.at(loop.rank - 1);
  const std::int64_t run = loop.extent[inner];
  const std::int64_t runs = loop.rank > 1 ? loop.extent[inner - 1] : 1;
  const std::int64_t step = loop.stride[inner][0];
  const std::int64_t between = loop.rank > 1 ? loop.stride[inner - 1][0] : 0;
  if (loop.rank == 1 && step == 0) return;
  const ProgressionLoop add = progression_loops().add;
  if (loop.rank <= 2) return add(offsets, runs, run, {0, step, between});
  LoopWalk<1> walk(loop, 0);
  for (std::int64_t first = 0; first < count; first += runs * run, walk.advance_runs(runs)) {
    add(offsets + first, runs, run, {walk.offset()[0], step, between});
  }
}

// Adds the offsets of the axes before the indexed ones; a Gather uses all its indices at each position there.
void add_batch_bases(const Plan& plan, std::int64_t count, std::int64_t* offsets) noexcept {
  std::int64_t batches = 1;
  for (std::int64_t d = 0; d < plan.indexed_axes().front(); ++d) batches *= plan.data().shape[d];
  const std::int64_t part = plan.data_count() / batches;
  const std::int64_t each = count / batches;
  const bool shared = plan.op() == OpKind::kGather;
  for (std::int64_t b = 1; b < batches; ++b) {
    std::int64_t* to = offsets + b * each;
    const std::int64_t* from = shared ? offsets : to;
    for (std::int64_t i = 0; i < each; ++i) to[i] = from[i] + b * part;
  }
}

// Writes the offsets of the steps of a TensorScatter, which are contiguous in linear mode.
std::int64_t steps_apart(const Plan& plan) noexcept {
  return plan.mode() == WriteMode::kCircular ? plan.position_shape()[plan.indexed_axes().front()] : 1;
}

bool resolve_starts(const Plan& plan, const SmallRows& rows, const std::byte* starts,
                    std::int64_t* offsets) noexcept {
  const std::int64_t axis = plan.indexed_axes().front();
  const std::int64_t capacity = plan.data().shape[axis];
  const std::int64_t last_start = capacity - plan.position_shape()[axis];
  const std::int64_t step = stride_of(plan.data().shape, axis);
  const std::int64_t steps = steps_apart(plan);
  const std::int64_t batches = plan.data().shape[0];
  const std::int64_t sequences = rows.count / steps / batches;
  const DType dtype = plan.indices().dtype;
  for (std::int64_t b = 0; b < batches; ++b) {
    const AnyIndex index = load_any_index(dtype, starts + b * (bit_width(dtype) / 8));
    if (is_invalid_start(index.value, last_start, plan.mode() == WriteMode::kCircular)) return false;
    const std::uint64_t start = static_cast<std::uint64_t>(index.bits) % static_cast<std::uint64_t>(capacity);
    for (std::int64_t i = 0; i < sequences; ++i) {
      const std::int64_t sequence = (b * sequences + i) * capacity;
      auto coordinate = static_cast<std::int64_t>(start);
      for (std::int64_t s = 0; s < steps; ++s) {
        *offsets++ = (sequence + coordinate) * step;
        if (++coordinate == capacity) coordinate = 0;
      }
    }
  }
  return true;
}

}  // namespace

SmallRows contiguous_rows(const Plan& plan) noexcept {
  if (plan.position_count() == 0 || plan.data().shape.rank() > kMaxAxes) return {};
  if (plan.op() == OpKind::kTensorScatter) {
    const std::int64_t axis = plan.indexed_axes().front();
    const std::int64_t step = stride_of(plan.data().shape, axis);
    const std::int64_t length = plan.position_shape()[axis] / steps_apart(plan) * step;
    return {plan.position_count() / length, length};
  }
  if (row_count_of(plan) > 0) return {row_count_of(plan), plan.position_count() / row_count_of(plan)};
  if (plan.indexed_axes().empty()) return {};
  if (by_elements(plan)) return {plan.index_count(), 1};
  const std::int64_t length = stride_of(plan.data().shape, plan.indexed_axes()[plan.indexed_axes().rank() - 1]);
  return {plan.position_count() / length, length};
}

bool resolve_small_rows(const Plan& plan, const SmallRows& rows, const void* indices,
                        std::int64_t* offsets) noexcept {
  if (plan.op() == OpKind::kTensorScatter) {
    return resolve_starts(plan, rows, static_cast<const std::byte*>(indices), offsets);
  }
  if (!resolve_tuples(plan, static_cast<const std::byte*>(indices), offsets)) return false;
  if (row_count_of(plan) > 0) return true;
  if (by_elements(plan)) {
    add_element_bases(plan, rows.count, offsets);
  } else {
    add_batch_bases(plan, rows.count, offsets);
  }
  return true;
}

}  // namespace strew
