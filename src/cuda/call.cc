// Runs a call: prepares it, enqueues it, and waits for it unless the caller defers it or uses enqueue().
#include "core/error.h"
#include "core/fence.h"
#include "cuda/prepare.h"
#include "cuda/stages.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {
namespace {

// Enqueues a call. `waits`: true if the caller waits for it, which is impossible while the stream is captured.
Result<Ticket> put(const Plan& plan, const Operands& operands, const MutableDeviceView& output,
                   const DeviceOptions& options, bool waits) {
  return without_exceptions(plan, [&]() -> Result<Ticket> {
    Prepared prepared(plan, operands, output);
    Queue queue(options.stream);
    if (waits)
      STREW_TRY(reject_capture(
          queue, plan, "defer it (DeviceOptions::deferred, in Python strew.cuda.deferred()), or use enqueue"));
    STREW_TRY(prepare(prepared, options, queue));
    const std::int64_t bytes = prepared.scratch_bytes;
    if (options.workspace != nullptr && options.workspace_bytes < bytes) {
      return fail(ErrorCode::kInvalidArgument, {prepared.call.op()}, "the workspace has ", options.workspace_bytes,
                  " bytes; the call needs ", bytes);
    }
    void* const base = options.workspace != nullptr ? options.workspace : queue.allocate(bytes);
    if (base == nullptr) {
      STREW_TRY(check_queue(queue, plan));
      return fail(ErrorCode::kOutOfMemory, {prepared.call.op()}, "cannot allocate ", bytes,
                  " bytes of device memory");
    }
    Buffers buffers = prepared.kept != nullptr ? prepared.kept->buffers : Buffers{};
    Workspace workspace(base);
    workspace.cut(prepared.sizes, buffers);
    workspace.fence(queue, true);
    Stages(prepared, options, queue, buffers).run();
    auto receipt = request_state(queue, buffers.state);
    workspace.fence(queue, false);
    if (options.workspace == nullptr) queue.release(base);
    STREW_TRY(queue.status(prepared.call.op()));
    return TicketMaker::make(std::move(receipt), plan, prepared.operands, prepared.layout.geometry);
  });
}

}  // namespace

Result<Ticket> enqueue(const Plan& plan, const Operands& operands, const MutableDeviceView& output,
                       const DeviceOptions& options) {
  return put(plan, operands, output, options, false);
}

Status run(const Plan& plan, const Operands& operands, const MutableDeviceView& output,
           const DeviceOptions& options) {
  if (options.deferred != nullptr) STREW_TRY(options.deferred->poll());
  STREW_ASSIGN(auto&& ticket, put(plan, operands, output, options, options.deferred == nullptr));
  if (options.deferred == nullptr) return ticket.wait();
  options.deferred->add(std::move(ticket));
  return {};
}

Result<Explanation> explain(const Plan& plan, const Operands& operands, const MutableDeviceView& output,
                            const DeviceOptions& options) {
  return without_exceptions(plan, [&]() -> Result<Explanation> {
    Prepared prepared(plan, operands, output);
    Queue queue(options.stream);
    STREW_TRY(prepare(prepared, options, queue));
    Explanation explanation{prepared.verdict.kind, prepared.verdict.reason, prepared.scratch_bytes, {}};
    explanation.uses_checked_indices = prepared.kept != nullptr;
    for (const Verdict& verdict : consider(plan, prepared.layout, options)) {
      if (verdict.applies && verdict.pays) continue;
      explanation.considered.push_back(concat(device_strategy_name(verdict.kind), ": ", verdict.reason));
    }
    return explanation;
  });
}

}  // namespace strew::cuda
