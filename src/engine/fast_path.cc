// Runs small calls with dense operands, or with strided operands that fit in the scratch memory of a thread.
// Computes the offset of each row from its index values and its other coordinates, and calls a kernel.
#include "engine/fast_path.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/loop_nest.h"
#include "core/scratch.h"
#include "core/strided_copy.h"
#include "core/tuning.h"
#include "core/view_check.h"
#include "index/check.h"
#include "index/index_value.h"
#include "index/scan.h"
#include "kernel/kernel.h"

namespace strew {
namespace {

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

// Writes the offset of each index tuple along the indexed axes.
bool resolve_tuples(const Plan& plan, const std::byte* values, std::int64_t* offsets) noexcept {
  const auto& indexed = plan.indexed_axes();
  const std::int64_t tuples = plan.index_count() / indexed.rank();
  std::array<IndexComponent, static_cast<std::size_t>(kMaxSmallRank)> components;
  std::int64_t stride = 1;
  for (std::int64_t d = indexed[indexed.rank() - 1] + 1; d < plan.data().shape.rank(); ++d) {
    stride *= plan.data().shape[d];
  }
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

// Adds the offsets along all axes except the indexed one, for GatherElements and ScatterElements.
void add_element_bases(const Plan& plan, std::int64_t count, std::int64_t* offsets) noexcept {
  const Shape& extents = plan.indices().shape;
  const Shape& data = plan.data().shape;
  std::array<std::int64_t, static_cast<std::size_t>(kMaxSmallRank)> strides;
  std::int64_t stride = 1;
  for (std::int64_t d = data.rank() - 1; d >= 0; --d) {
    strides[static_cast<std::size_t>(d)] = d == plan.indexed_axes().front() ? 0 : stride;
    stride *= data[d];
  }
  LoopNest<1> loop;  // joins axes, since most extents are small
  for (std::int64_t d = 0; d < data.rank(); ++d) loop.push(extents[d], {strides[static_cast<std::size_t>(d)]});
  if (loop.rank == 0) return;  // one position, at offset 0
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

// Adds the offsets along the axes before the indexed ones. A Gather uses the same indices in each batch.
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

// Writes the offsets of all rows in dense data, in elements. Returns false if an index value is out of range.
bool resolve_rows(const Plan& plan, const void* indices, std::int64_t* offsets) noexcept {
  const auto* values = static_cast<const std::byte*>(indices);
  if (plan.op() == OpKind::kTensorScatter) return resolve_write_indices(plan, values, offsets);
  if (!resolve_tuples(plan, values, offsets)) return false;
  if (plan.by_elements()) {
    if (plan.data().shape.rank() > 1) add_element_bases(plan, rows_of(plan).count, offsets);
  } else if (plan.indexed_axes().front() > 0) {
    add_batch_bases(plan, rows_of(plan).count, offsets);
  }
  return true;
}

// True if every operand is given and the output overlaps none of them, except the data of an in-place call.
bool addresses_fit(const Plan& plan, const DenseOperands& operands, const void* output) {
  const std::int64_t width = bit_width(plan.dtype()) / 8;
  const bool scatter = plan.is_scatter();
  if (operands.data == nullptr || operands.indices == nullptr || output == nullptr) return false;
  if (scatter && operands.updates == nullptr) return false;
  const std::int64_t data_bytes = plan.data_count() * width;
  const std::int64_t position_bytes = plan.position_count() * width;
  const auto written = reinterpret_cast<std::uintptr_t>(output);
  const auto written_bytes = static_cast<std::uintptr_t>(scatter ? data_bytes : position_bytes);
  const auto is_apart = [&](const void* address, std::int64_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    return begin >= written + written_bytes || written >= begin + static_cast<std::uintptr_t>(bytes);
  };
  const bool in_place = scatter && output == operands.data;
  return (in_place || is_apart(operands.data, data_bytes)) &&
         is_apart(operands.indices, plan.index_count() * bit_width(plan.indices().dtype) / 8) &&
         (!scatter || is_apart(operands.updates, position_bytes));
}

// True if a view needs no further check: it is dense, it has the type and shape that the plan checked, and it has
// an address for its `count` elements.
inline bool is_as_planned(const TensorView& view, DType dtype, const Shape& shape, std::int64_t count) noexcept {
  return view.dense() && view.dtype() == dtype && view.shape() == shape &&
         (view.span_size() < 0 || view.span_size() == count) &&
         (count == 0 || (view.data() != nullptr && dtype != DType::kString));
}

// True if the call has the operands of the plan and is_as_planned is true for each.
inline bool are_as_planned(const Call& call) noexcept {
  const auto& [plan, operands, output, options] = call;
  const bool scatter = plan.is_scatter();
  if (!operands.indices || operands.updates.has_value() != scatter) return false;
  const TensorView& position = scatter ? *operands.updates : output;
  return is_as_planned(operands.data, plan.dtype(), plan.data().shape, plan.data_count()) &&
         is_as_planned(*operands.indices, plan.indices().dtype, plan.indices().shape, plan.index_count()) &&
         is_as_planned(position, plan.dtype(), plan.position_shape(), plan.position_count()) &&
         (!scatter || is_as_planned(output, plan.dtype(), plan.data().shape, plan.data_count()));
}

// Copies or combines the rows at the offsets `chosen`. A scatter that is not in place copies data first.
void move_rows(const Plan& plan, const DenseOperands& operands, void* output, const std::int64_t* chosen) {
  const auto& rows = rows_of(plan);
  if (!plan.is_scatter()) {
    copy_kernel(plan.dtype())(output, operands.data, nullptr, chosen, rows.count, rows.length);
    return;
  }
  const std::int64_t width = bit_width(plan.dtype()) / 8;
  if (output != operands.data) {
    std::memcpy(output, operands.data, static_cast<std::size_t>(plan.data_count() * width));
  }
  const bool folds = plan.reduction() != Reduction::kNone;
  const Kernel kernel = folds ? combine_kernel(plan.dtype(), plan.reduction()) : copy_kernel(plan.dtype());
  kernel(output, operands.updates, chosen, nullptr, rows.count, rows.length);
}

// True if an operand is contiguous, or if a contiguous copy of it fits in the scratch memory of a thread.
bool packs(const TensorView& view) {
  return view.dense() || element_count(view.shape()) <= kThreadScratch / (bit_width(view.dtype()) / 8);
}

// Returns the address of a contiguous view, or of a copy in the scratch memory of the thread, which the next copy
// overwrites. Returns nullptr if an allocation failed.
[[gnu::noinline]] const void* packed(const TensorView& view) {
  if (view.dense()) return view.data();
  std::byte* memory = thread_scratch();
  if (memory == nullptr) return nullptr;
  const StridedCopy copy(view, memory, TensorView(memory, view.dtype(), view.shape()));
  copy.run(0, copy.part_count());
  return memory;
}

// True if rows of `length` elements are contiguous in data with these strides.
bool rows_contiguous(const Shape& shape, const Shape& strides, std::int64_t length) {
  std::int64_t dense = 1;
  for (std::int64_t axis = shape.rank() - 1; axis >= 0 && dense < length; --axis) {
    if (strides[axis] != dense) return false;
    dense *= shape[axis];
  }
  return true;
}

// True if a gather should copy data whose rows are not contiguous.
bool packs_data(const Call& call) {
  return !call.plan.is_scatter() && packs(call.operands.data) &&
         call.plan.position_count() >= call.plan.data_count() / kMaxCopiedPerMoved;
}

// Converts offsets in dense data to offsets in data with these strides.
void restride(const Shape& shape, const Shape& strides, std::span<std::int64_t> offsets) {
  LoopNest<1> axes;  // joins axes, since divisions are slow
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) axes.push(shape[axis], {strides[axis]});
  if (axes.rank == 0) return;  // one element
  for (std::int64_t& offset : offsets) {
    std::int64_t rest = offset;
    std::int64_t restrided = 0;
    for (std::int64_t axis = axes.rank - 1; axis > 0; --axis) {
      const std::size_t a = axes.at(axis);
      restrided += rest % axes.extent[a] * axes.stride[a][0];
      rest /= axes.extent[a];
    }
    offset = restrided + rest * axes.stride[0][0];
  }
}

// True if a call whose plan has small rows needs no schedule. `in_place`: the output is data.
bool can_skip_schedule(const Plan& plan, const Options& options, bool in_place) noexcept {
  return (in_place || rows_of(plan).small_with_copy) && options.overrides == nullptr && !options.reject_duplicates;
}

bool can_skip_schedule(const Call& call) noexcept {
  return can_skip_schedule(call.plan, call.options, call.output.data() == call.operands.data.data());
}

// Runs a small call. Returns false, with nothing written, if an address or an index value is not legal.
bool run_rows(const Plan& plan, const DenseOperands& operands, void* output) noexcept {
  if (!addresses_fit(plan, operands, output)) return false;
  std::array<std::int64_t, kMaxStackRows> few;
  std::int64_t* chosen = few.data();
  if (rows_of(plan).count > kMaxStackRows) chosen = reinterpret_cast<std::int64_t*>(thread_scratch());
  if (chosen == nullptr || !resolve_rows(plan, operands.indices, chosen)) return false;
  move_rows(plan, operands, output, chosen);
  return true;
}

// True if run_small_strided can run a small call. run_small runs calls with only dense operands.
bool packs_strided(const Call& call) {
  const auto& [plan, operands, output, options] = call;
  if (!operands.indices || rows_of(plan).count > kMaxStackRows) return false;
  const bool dense = operands.data.dense() && operands.indices->dense() && output.dense();
  if (dense && (!operands.updates || operands.updates->dense())) return false;
  if (!packs(*operands.indices) || (operands.updates && !packs(*operands.updates))) return false;
  if (!in_place(call) && !(output.dense() && (!plan.is_scatter() || operands.data.dense()))) return false;
  return operands.data.dense() || packs_data(call) ||
         rows_contiguous(plan.data().shape, strides_of(operands.data), rows_of(plan).length);
}

}  // namespace

bool run_small(const Call& call) noexcept {
  if (!can_skip_schedule(call) || !are_as_planned(call)) return false;
  const auto& [data, indices, updates] = call.operands;
  return run_rows(call.plan, {data.data(), indices->data(), updates ? updates->data() : nullptr},
                  call.output.data());
}

bool run_small(const Plan& plan, const DenseOperands& operands, void* output, const Options& options) noexcept {
  return can_skip_schedule(plan, options, output == operands.data) && run_rows(plan, operands, output);
}

bool run_small_strided(const Call& call) {
  if (!can_skip_schedule(call) || !packs_strided(call)) return false;
  const Plan& plan = call.plan;
  const auto& rows = rows_of(plan);
  const TensorView& data = call.operands.data;
  std::array<std::int64_t, kMaxStackRows> chosen;
  const void* indices = packed(*call.operands.indices);
  if (indices == nullptr || !resolve_rows(plan, indices, chosen.data())) return false;
  DenseOperands operands{data.data()};
  if (!data.dense() && rows_contiguous(plan.data().shape, strides_of(data), rows.length)) {
    restride(plan.data().shape, strides_of(data), std::span(chosen).first(static_cast<std::size_t>(rows.count)));
  } else if (!data.dense()) {
    operands.data = packed(data);
  }
  if (plan.is_scatter()) operands.updates = packed(*call.operands.updates);
  if (operands.data == nullptr || (plan.is_scatter() && operands.updates == nullptr)) return false;
  move_rows(plan, operands, call.output.data(), chosen.data());
  return true;
}

bool is_small(const Call& call) {
  return can_skip_schedule(call) && (are_as_planned(call) || packs_strided(call));
}

}  // namespace strew
