// Small calls of dense operands, and of strided ones that fit the scratch memory of a thread.
#include "engine/fast_path.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/arithmetic.h"
#include "core/loop_nest.h"
#include "core/machine.h"
#include "core/scratch.h"
#include "core/strided_copy.h"
#include "core/thresholds.h"
#include "core/view_check.h"
#include "engine/reduce/fold.h"
#include "kernel/kernel.h"

namespace strew {
namespace {

ByteRange range_of(const void* address, std::int64_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  return {begin, begin + static_cast<std::uintptr_t>(bytes)};
}

// True if every operand is given and the output overlaps none, except in place.
bool addresses_fit(const Plan& plan, const DenseOperands& operands, const void* output, std::int64_t width) {
  const bool scatter = plan.is_scatter();
  if (operands.data == nullptr || operands.indices == nullptr || output == nullptr) return false;
  if (scatter && operands.updates == nullptr) return false;
  const std::int64_t data_bytes = plan.data_count() * width;
  const std::int64_t position_bytes = plan.position_count() * width;
  const ByteRange written = range_of(output, scatter ? data_bytes : position_bytes);
  const bool in_place = scatter && output == operands.data;
  return (in_place || !written.overlaps(range_of(operands.data, data_bytes))) &&
         !written.overlaps(range_of(operands.indices, plan.index_count() * bit_width(plan.indices().dtype) / 8)) &&
         (!scatter || !written.overlaps(range_of(operands.updates, position_bytes)));
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

}  // namespace

SmallRows small_rows(const Plan& plan, const Options& options, bool in_place) noexcept {
  if (options.overrides != nullptr || options.reject_duplicates || plan.dtype() == DType::kString) return {};
  if (plan.has_fill_value() || plan.has_alpha()) return {};
  const bool reduces = plan.reduction() != Reduction::kNone;
  if (reduces && Fold::needed(plan)) return {};
  const std::int64_t width = bit_width(plan.dtype()) / 8;
  const Machine& m = machine();
  const std::int64_t limit = min_parallel_copy_bytes(m);
  const std::int64_t copied = plan.is_scatter() && !in_place ? plan.data_count() : 0;
  if (width == 0 || plan.data_count() < 1 || plan.position_count() > limit || copied > limit) return {};
  const SmallRows rows = contiguous_rows(plan);
  if (rows.count > kMaxSmallRows) return {};
  const bool near = plan.data_count() < prefetch_min_bytes(m) / width;
  const std::int64_t row_bytes = std::max(rows.length * width, near ? 0 : kCacheLineBytes);
  // A byte that is reduced, or lies beyond L2, takes as long as several within L2.
  const std::int64_t each =
      near && !reduces ? 1 : div_up(m.near_line_ps + m.far_line_ps, std::max<std::int64_t>(2 * m.near_line_ps, 1));
  const std::int64_t bytes = rows.count * row_bytes * each + copied * width * (near ? 1 : each);
  return bytes <= limit ? rows : SmallRows{};
}

bool run_small(const Plan& plan, const SmallRows& rows, const DenseOperands& operands, void* output) noexcept {
  const std::int64_t width = bit_width(plan.dtype()) / 8;
  if (!addresses_fit(plan, operands, output, width)) return false;
  std::array<std::int64_t, kMaxStackRows> few;
  std::int64_t* chosen = few.data();
  if (rows.count > kMaxStackRows) chosen = reinterpret_cast<std::int64_t*>(thread_scratch());
  if (chosen == nullptr || !resolve_small_rows(plan, rows, operands.indices, chosen)) return false;
  if (plan.is_scatter() && output != operands.data) {
    std::memcpy(output, operands.data, static_cast<std::size_t>(plan.data_count() * width));
  }
  move_rows(plan, rows, operands, output, chosen);
  return true;
}

bool packs_strided(const Call& call, const SmallRows& rows) {
  const auto& [plan, operands, output, options] = call;
  if (!operands.indices || rows.count > kMaxStackRows) return false;
  if (!packs(*operands.indices) || (operands.updates && !packs(*operands.updates))) return false;
  if (!in_place(call) && !(output.dense() && (!plan.is_scatter() || operands.data.dense()))) return false;
  return operands.data.dense() || packs_data(call) ||
         rows_contiguous(plan.data().shape, strides_of(operands.data), rows.length);
}

bool run_small_strided(const Call& call, const SmallRows& rows) {
  if (!packs_strided(call, rows)) return false;
  const Plan& plan = call.plan;
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
