// Small calls: reads, checks and resolves every index value once, then runs a kernel.
#include "engine/fast_path.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/loop_nest.h"
#include "core/scratch.h"
#include "core/strided_copy.h"
#include "core/thresholds.h"
#include "core/view_check.h"
#include "engine/fast_path_rows.h"
#include "engine/reduce/fold.h"
#include "kernel/kernel.h"

namespace strew {
namespace {

// True if an operand is dense and matches the plan.
bool as_planned(const TensorView& view, DType dtype, const Shape& shape, std::int64_t count) {
  return view.dense() && view.dtype() == dtype && view.shape() == shape &&
         (view.span_size() < 0 || view.span_size() == count) && view.data() != nullptr;
}

// An address range.
struct Bytes {
  const void* begin;
  std::int64_t count;
};

bool apart(Bytes a, Bytes b) {
  const auto from_a = reinterpret_cast<std::uintptr_t>(a.begin);
  const auto from_b = reinterpret_cast<std::uintptr_t>(b.begin);
  return from_a + static_cast<std::uintptr_t>(a.count) <= from_b ||
         from_b + static_cast<std::uintptr_t>(b.count) <= from_a;
}

bool views_fit(const Call& call) {
  const auto& [plan, operands, output, options] = call;
  const bool scatter = plan.is_scatter();
  if (!operands.indices || operands.updates.has_value() != scatter) return false;
  if (!as_planned(operands.data, plan.dtype(), plan.data().shape, plan.data_count())) return false;
  if (!as_planned(*operands.indices, plan.indices().dtype, plan.indices().shape, plan.index_count())) return false;
  const TensorView& position = scatter ? *operands.updates : output;
  if (!as_planned(position, plan.dtype(), plan.position_shape(), plan.position_count())) return false;
  return !scatter || as_planned(output, plan.dtype(), plan.data().shape, plan.data_count());
}

// True if every operand is given and the output overlaps none, except in place.
bool addresses_fit(const Plan& plan, const DenseOperands& operands, const void* output, std::int64_t width) {
  const bool scatter = plan.is_scatter();
  if (operands.data == nullptr || operands.indices == nullptr || output == nullptr) return false;
  if (scatter && operands.updates == nullptr) return false;
  const Bytes data{operands.data, plan.data_count() * width};
  const Bytes positions{operands.updates, plan.position_count() * width};
  const Bytes to{output, scatter ? data.count : positions.count};
  const bool in_place = scatter && output == operands.data;
  return (in_place || apart(to, data)) &&
         apart(to, {operands.indices, plan.index_count() * bit_width(plan.indices().dtype) / 8}) &&
         (!scatter || apart(to, positions));
}

// True if a call of the plan is small, for any addresses. In place nothing is copied.
bool is_small(const Plan& plan, const SmallRows& rows, const Options& options, bool in_place) {
  if (rows.count < 1 || rows.count > kMaxSmallRows || plan.dtype() == DType::kString) return false;
  if (options.overrides != nullptr || options.reject_duplicates) return false;
  if (plan.has_fill_value() || plan.has_alpha()) return false;
  if (plan.reduction() != Reduction::kNone && Fold::needed(plan)) return false;
  const std::int64_t width = bit_width(plan.dtype()) / 8;
  if (width == 0 || plan.data_count() < 1 || plan.position_count() < 1) return false;
  // Compares the time on one thread with the start of a second: rows, with a stall for each line beyond L2, and
  // the copy of data. A reduction takes as long if data are in L2.
  const Machine& m = machine();
  const auto lines = [&](std::int64_t elements) {
    return static_cast<double>(elements * width) / kCacheLineBytes;
  };
  const auto line = [&](bool cached) {  // reads and writes a line
    return static_cast<double>(m.near_line + (cached ? m.near_line : m.far_line));
  };
  const bool near = plan.data_count() * width < prefetch_min_bytes(m);
  const double row = static_cast<double>(m.step) + std::max(lines(rows.length), near ? 0.0 : 1.0) *
                                                       line(near && plan.reduction() == Reduction::kNone);
  const double copied = plan.is_scatter() && !in_place ? lines(plan.data_count()) * line(near) : 0.0;
  return static_cast<double>(rows.count) * row + copied <= 2 * static_cast<double>(m.wake);
}

DenseOperands addresses_of(const Operands& operands) {
  return {operands.data.data(), operands.indices->data(), operands.updates ? operands.updates->data() : nullptr};
}

// Moves or folds the rows of data at these offsets. The output of a scatter already holds the data.
void move_rows(const Plan& plan, const SmallRows& rows, const DenseOperands& operands, void* output,
               const std::int64_t* chosen) {
  if (!plan.is_scatter()) {
    copy_kernel(plan.dtype())(output, operands.data, nullptr, chosen, rows.count, rows.length);
    return;
  }
  const bool folds = plan.reduction() != Reduction::kNone;
  const Kernel kernel = folds ? combine_kernel(plan.dtype(), plan.reduction()) : copy_kernel(plan.dtype());
  kernel(output, operands.updates, chosen, nullptr, rows.count, rows.length);
}

// True if an operand is contiguous, or its contiguous copy fits the scratch memory of a thread.
bool packs(const TensorView& view) {
  return view.dense() || element_count(view.shape()) <= kThreadScratch / (bit_width(view.dtype()) / 8);
}

// Returns the address of the contiguous elements: their own, or that of a copy in the scratch memory, which only
// one operand may use; nullptr if memory ran out.
[[gnu::noinline]] const void* packed(const TensorView& view) {
  if (view.dense()) return view.data();
  std::byte* memory = thread_scratch();
  if (memory == nullptr) return nullptr;
  const StridedCopy copy(view, memory, TensorView(memory, view.dtype(), view.shape()));
  copy.run(0, copy.part_count());
  return memory;
}

// True if rows are contiguous in data of these strides.
bool rows_contiguous(const Shape& shape, const Shape& strides, std::int64_t length) {
  std::int64_t dense = 1;
  for (std::int64_t axis = shape.rank() - 1; axis >= 0 && dense < length; --axis) {
    if (strides[axis] != dense) return false;
    dense *= shape[axis];
  }
  return true;
}

// True if data of a gather with non-contiguous rows is worth a copy.
bool packs_data(const Call& call) {
  return !call.plan.is_scatter() && packs(call.operands.data) &&
         call.plan.position_count() >= call.plan.data_count() / kMaxCopiedPerMoved;
}

// Converts offsets in dense data to offsets in data of these strides.
void restride(const Shape& shape, const Shape& strides, std::span<std::int64_t> offsets) {
  LoopNest<1> axes;  // with joined axes, since divisions are slow
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

// Runs a small call with strided operands, which must have been checked.
bool is_small_strided(const Call& call, const SmallRows& rows) {
  const auto& [plan, operands, output, options] = call;
  if (!operands.indices || rows.count > kMaxStackRows) return false;
  const bool scatters_in_place = in_place(call);
  if (!is_small(plan, rows, options, scatters_in_place)) return false;
  if (!packs(*operands.indices) || (operands.updates && !packs(*operands.updates))) return false;
  if (!scatters_in_place && !(output.dense() && (!plan.is_scatter() || operands.data.dense()))) return false;
  return operands.data.dense() || packs_data(call) ||
         rows_contiguous(plan.data().shape, strides_of(operands.data), rows.length);
}

}  // namespace

bool is_small(const Call& call) {
  if (!views_fit(call)) return is_small_strided(call, small_rows(call.plan));
  const bool in_place = call.output.data() == call.operands.data.data();
  return is_small(call.plan, small_rows(call.plan), call.options, in_place) &&
         addresses_fit(call.plan, addresses_of(call.operands), call.output.data(),
                       bit_width(call.plan.dtype()) / 8);
}

bool run_small(const Call& call) {
  return views_fit(call) && run_small(call.plan, addresses_of(call.operands), call.output.data(), call.options);
}

bool run_small(const Plan& plan, const DenseOperands& operands, void* output, const Options& options) {
  const SmallRows rows = small_rows(plan);
  const std::int64_t width = bit_width(plan.dtype()) / 8;
  const bool in_place = output == operands.data;
  if (!is_small(plan, rows, options, in_place) || !addresses_fit(plan, operands, output, width)) return false;
  std::array<std::int64_t, kMaxStackRows> few;
  std::int64_t* chosen = few.data();
  if (rows.count > kMaxStackRows) chosen = reinterpret_cast<std::int64_t*>(thread_scratch());
  if (chosen == nullptr || !resolve_small_rows(plan, rows, operands.indices, chosen)) return false;
  if (plan.is_scatter() && !in_place) {
    std::memcpy(output, operands.data, static_cast<std::size_t>(plan.data_count() * width));
  }
  move_rows(plan, rows, operands, output, chosen);
  return true;
}

bool run_small_strided(const Call& call) {
  const Plan& plan = call.plan;
  const SmallRows rows = small_rows(plan);
  if (!is_small_strided(call, rows)) return false;
  const TensorView& data = call.operands.data;
  std::array<std::int64_t, kMaxStackRows> chosen;
  const void* indices = packed(*call.operands.indices);
  if (indices == nullptr || !resolve_small_rows(plan, rows, indices, chosen.data())) return false;
  DenseOperands operands{data.data()};
  if (!data.dense() && rows_contiguous(plan.data().shape, strides_of(data), rows.length)) {
    restride(plan.data().shape, strides_of(data), std::span(chosen).first(static_cast<std::size_t>(rows.count)));
  } else if (!data.dense()) {
    operands.data = packed(data);
  }
  if (plan.is_scatter()) operands.updates = packed(*call.operands.updates);
  if (operands.data == nullptr || (plan.is_scatter() && operands.updates == nullptr)) return false;
  if (plan.is_scatter() && !in_place(call)) {
    std::memcpy(call.output.data(), data.data(),
                static_cast<std::size_t>(plan.data_count() * (bit_width(plan.dtype()) / 8)));
  }
  move_rows(plan, rows, operands, call.output.data(), chosen.data());
  return true;
}

}  // namespace strew
