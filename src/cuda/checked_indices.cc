// Checks indices separately from a call and keeps the results.

#include "core/error.h"
#include "core/fence.h"
#include "core/view_check.h"
#include "cuda/choose.h"
#include "cuda/prepare.h"
#include "cuda/stages.h"

namespace strew::cuda {
namespace {

// Returns operands from which a layout is computed: the indices, and dense data and updates without addresses.
Operands operands_of(const Plan& plan, const DeviceView& indices) {
  Operands operands{{nullptr, plan.dtype(), plan.data().shape}, indices};
  if (plan.is_scatter()) operands.updates.emplace(nullptr, plan.dtype(), plan.position_shape());
  return operands;
}
MutableDeviceView output_of(const Plan& plan) { return {nullptr, plan.dtype(), plan.output_shape()}; }

Status check_view_of(const Plan& plan, const TensorView& indices) {
  const std::string_view name = plan.op() == OpKind::kTensorScatter ? "write_indices" : "indices";
  if (!plan.has_indices()) {
    return fail(ErrorCode::kInvalidArgument, {op_name(plan.op()), name}, name,
                " were passed to a plan without them");
  }
  STREW_TRY(reject_strings(plan));
  STREW_TRY(check_operand(op_name(plan.op()), name, indices, plan.indices().dtype, plan.indices().shape));
  return check_address(op_name(plan.op()), name, indices);
}

// Device memory that is released after the check.
class Temporary {
 public:
  Temporary(Queue& queue, std::int64_t bytes) : queue_(queue), at_(queue.allocate(bytes)) {}
  ~Temporary() {
    if (at_ != nullptr) queue_.release(at_);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  void* at() const noexcept { return at_; }

 private:
  Queue& queue_;
  void* at_;
};

}  // namespace

Kept::~Kept() {
  if (memory != nullptr) Queue::release_kept(memory);
}

bool Kept::applies_to(const TensorView& view, const Layout& of_call) const {
  return layout.tuples && of_call.tuples && same_tensor(indices, view) && same_numbers(layout, of_call);
}

CheckedIndices::CheckedIndices(std::shared_ptr<const Kept> kept) : kept_(std::move(kept)) {}

std::int64_t CheckedIndices::device_bytes() const noexcept { return kept_->bytes; }

bool CheckedIndices::applies_to(const Plan& plan, const DeviceView& indices) const {
  if (!plan.has_indices() || !check_view_of(plan, Unwrap::view(indices))) return false;
  const Prepared prepared(plan, operands_of(plan, indices), output_of(plan));
  return kept_->applies_to(*prepared.operands.indices, lay_out(prepared.call, wants_wide_numbers()));
}

Result<CheckedIndices> check_indices(const Plan& plan, const DeviceView& indices, const DeviceOptions& options) {
  return without_exceptions(plan, [&]() -> Result<CheckedIndices> {
    STREW_TRY(check_view_of(plan, Unwrap::view(indices)));
    Queue queue(options.stream);
    STREW_TRY(reject_capture(queue, plan, "check indices before the capture"));
    Prepared prepared(plan, operands_of(plan, indices), output_of(plan));
    DeviceOptions kept_for = options;
    kept_for.output_is_new = false;  // a fused gather keeps no results
    STREW_TRY(arrange(prepared, kept_for));
    auto kept = std::make_shared<Kept>(*prepared.operands.indices);
    kept->layout = prepared.layout;
    kept->distinct = options.reject_duplicates && prepared.verdict.kind == DeviceStrategy::kLastWins;

    BufferSizes temporary = prepared.sizes = compute_sizes(prepared, options, queue);
    BufferSizes lasting = temporary;
    lasting.state = false;
    lasting.sorting = 0;
    temporary.chosen = temporary.winners = 0;
    if (prepared.verdict.kind == DeviceStrategy::kSortFold) {
      temporary.sorted = 0;
    } else {
      lasting.sorted = 0;  // only the check for duplicates needs sorted positions
    }
    kept->bytes = bytes_of(lasting);
    STREW_TRY(check_limit(prepared, options, kept->bytes + bytes_of(temporary)));
    const Temporary memory(queue, bytes_of(temporary));
    if (kept->bytes > 0) kept->memory = queue.allocate_kept(kept->bytes);
    STREW_TRY(check_queue(queue, plan));
    if (memory.at() == nullptr || (kept->bytes > 0 && kept->memory == nullptr)) {
      return fail(ErrorCode::kOutOfMemory, {prepared.call.op()}, "cannot allocate ",
                  kept->bytes + bytes_of(temporary),
                  " bytes of device memory to check the indices and keep the results");
    }
    Buffers buffers;
    Workspace temporary_space(memory.at());
    temporary_space.cut(temporary, buffers);
    Workspace lasting_space(kept->memory);
    lasting_space.cut(lasting, buffers);
    temporary_space.fence(queue, true);
    lasting_space.fence(queue, true);
    Stages(prepared, options, queue, buffers).know_indices();
    auto receipt = request_state(queue, buffers.state);
    temporary_space.fence(queue, false);
    lasting_space.fence(queue, false);
    STREW_TRY(queue.status(prepared.call.op()));
    STREW_TRY(TicketMaker::make(std::move(receipt), plan, prepared.operands, prepared.layout.geometry).wait());

    kept->buffers.chosen = buffers.chosen;
    kept->buffers.winner = buffers.winner;
    if (lasting.sorted > 0) {
      kept->buffers.sorted_key = buffers.sorted_key;
      kept->buffers.sorted_position = buffers.sorted_position;
      kept->buffers.run = buffers.run;
      kept->buffers.run_count = buffers.run_count;
    }
    return Unwrap::checked(std::move(kept));
  });
}

}  // namespace strew::cuda
