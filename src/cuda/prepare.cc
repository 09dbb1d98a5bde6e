// Checks operands, computes the layout and chooses a strategy.
#include "cuda/prepare.h"

#include <algorithm>

#include "core/error.h"
#include "core/view_check.h"
#include "cuda/choose.h"
#include "cuda/steps.h"

namespace strew::cuda {

Status check_address(std::string_view op, std::string_view name, const TensorView& view) {
  const int parts = view.dtype() == DType::kComplex64 || view.dtype() == DType::kComplex128 ? 2 : 1;
  const int bytes = std::max(bit_width(view.dtype()) / 8 / parts, 1);
  if (reinterpret_cast<std::uintptr_t>(view.data()) % static_cast<unsigned>(bytes) == 0) return {};
  return fail(ErrorCode::kInvalidArgument, {op, name}, "the address of ", name, " is not a multiple of ", bytes,
              " bytes, so a device cannot read ", dtype_name(view.dtype()), " there");
}

Status reject_strings(const Plan& plan) {
  if (plan.dtype() != DType::kString) return {};
  return fail(ErrorCode::kUnsupported, {op_name(plan.op()), "data"},
              "strings are in host memory, which a device cannot read");
}

namespace {

Status check_all(const Call& call) {
  STREW_TRY(check_operands(call));
  STREW_TRY(check_address(call.op(), call.data_name(), call.operands.data));
  if (call.operands.indices) STREW_TRY(check_address(call.op(), call.index_name(), *call.operands.indices));
  if (call.operands.updates) STREW_TRY(check_address(call.op(), call.updates_name(), *call.operands.updates));
  return check_address(call.op(), call.output_name(), call.output);
}

// Lets many threads fold each long run of updates (HotRuns in kernels.h). This needs memory for summaries: nothing
// changes if the call's scratch memory would then exceed the limit.
void find_hot_runs(Prepared& prepared, const DeviceOptions& options) {
  const Plan& plan = prepared.call.plan;
  const Positions& at = prepared.layout.at;
  if (!prepared.layout.moves || prepared.verdict.kind != DeviceStrategy::kSortFold) return;
  HotRuns hot = choose_hot_runs(at.count);
  if (hot.from == 0) return;
  BufferSizes with = prepared.sizes;
  with.hot_runs = hot.most(at.count);
  with.summary_bytes =
      summary_bytes(plan.dtype(), plan.acc_dtype() == AccDType::kFloat32,
                    folded_reduction(plan.dtype(), plan.reduction()), at.count / hot.chunk, at.row);
  if (with.summary_bytes == 0 || bytes_of(with) > options.limits.scratch_bytes) return;
  prepared.hot = hot;
  prepared.sizes = with;
}

// Returns the kept check of DeviceOptions::checked_indices if it applies to the call, else nullptr.
const Kept* kept_for(const Prepared& prepared, const DeviceOptions& options) {
  if (options.checked_indices == nullptr || !prepared.operands.indices) return nullptr;
  const Kept& kept = Unwrap::kept(*options.checked_indices);
  return kept.applies_to(*prepared.operands.indices, prepared.layout) ? &kept : nullptr;
}

}  // namespace

bool Prepared::sorts(const DeviceOptions& wanted) const {
  if (!layout.moves) return false;
  if (verdict.kind == DeviceStrategy::kSortFold) return true;
  const bool distinct = kept != nullptr && kept->distinct;
  return wanted.reject_duplicates && verdict.kind == DeviceStrategy::kLastWins && !distinct;
}

Status reject_capture(const Queue& queue, const Plan& plan, std::string_view instead) {
  if (!queue.captures()) return {};
  return fail(ErrorCode::kInvalidArgument, {op_name(plan.op())},
              "the stream is being captured, so the host cannot wait for the call; ", instead);
}

Status check_queue(const Queue& queue, const Plan& plan) {
  const Status status = queue.status(op_name(plan.op()));
  return status || status.error().code == ErrorCode::kOutOfMemory ? Status() : status;
}

BufferSizes compute_sizes(const Prepared& prepared, const DeviceOptions& options, Queue& queue) {
  const Layout& layout = prepared.layout;
  BufferSizes sizes;
  sizes.state = true;
  sizes.wide = layout.wide;
  if (prepared.verdict.kind != DeviceStrategy::kGatherFused) sizes.chosen = layout.chosen;
  if (layout.moves && prepared.verdict.kind == DeviceStrategy::kLastWins) sizes.winners = layout.at.location_count;
  if (prepared.sorts(options)) {
    sizes.sorted = layout.at.count;
    sizes.sorting = layout.at.count;
    sizes.sort_bytes = queue.sort_bytes(layout.at.count, layout.wide);
  }
  return sizes;
}

Status arrange(Prepared& prepared, const DeviceOptions& options) {
  prepared.layout = lay_out(prepared.call, wants_wide_numbers());
  STREW_ASSIGN(prepared.verdict, choose(prepared.call.plan, prepared.layout, options));
  return {};
}

Status check_limit(const Prepared& prepared, const DeviceOptions& options, std::int64_t bytes) {
  if (bytes <= options.limits.scratch_bytes) return {};
  return fail(ErrorCode::kUnsupported, {prepared.call.op()}, device_strategy_name(prepared.verdict.kind),
              " needs ", bytes, " bytes of device memory; scratch_limit is ", options.limits.scratch_bytes);
}

Status prepare(Prepared& prepared, const DeviceOptions& options, Queue& queue) {
  STREW_TRY(reject_strings(prepared.call.plan));
  STREW_TRY(check_all(prepared.call));
  STREW_TRY(arrange(prepared, options));
  prepared.kept = kept_for(prepared, options);
  prepared.sizes = compute_sizes(prepared, options, queue);
  if (prepared.kept != nullptr) {
    const Buffers& buffers = prepared.kept->buffers;
    prepared.sizes.chosen = 0;
    if (buffers.winner.at != nullptr) prepared.sizes.winners = 0;
    if (buffers.sorted_key.at != nullptr) prepared.sizes.sorted = prepared.sizes.sorting = 0;
  }
  find_hot_runs(prepared, options);
  prepared.scratch_bytes = bytes_of(prepared.sizes);
  return check_limit(prepared, options, prepared.scratch_bytes);
}

}  // namespace strew::cuda
