// Tickets: convert the state of a call to an error, and collect errors of deferred calls.
#include "cuda/ticket.h"

#include "core/error.h"
#include "cuda/positions.h"
#include "engine/steps.h"
#include "index/check.h"

namespace strew::cuda {

Ticket TicketMaker::make(std::unique_ptr<Receipt> receipt, const Plan& plan, const strew::Operands& operands,
                         const Geometry& geometry) {
  Ticket ticket;
  ticket.call_ =
      std::make_shared<const Ticket::Call>(Ticket::Call{plan, operands.indices, geometry, std::move(receipt)});
  return ticket;
}

bool Ticket::captured() const { return call_->receipt->captured(); }

bool Ticket::ready() const { return call_->receipt->ready(); }

Status Ticket::wait() const {
  const Plan& plan = call_->plan;
  STREW_TRY(Queue::make_status(call_->receipt->wait(), op_name(plan.op())));
  if (captured() && !ready()) {
    return fail(ErrorCode::kInvalidArgument, {op_name(plan.op())},
                "the graph that the call was captured in has not run; launch it, and wait for its stream");
  }
  const CallState& state = call_->receipt->state();
  if (state.first_bad != kNoPosition) {
    const InvalidIndex bad{static_cast<std::int64_t>(state.first_bad), static_cast<std::int64_t>(state.component),
                           static_cast<std::int64_t>(state.value)};
    if (plan.op() == OpKind::kTensorScatter) return write_index_error(plan, bad);
    return index_error(*call_->indices, make_target(plan), bad);
  }
  if (state.first_duplicate != kNoPosition) {
    return duplicate_error(plan, call_->geometry, static_cast<std::int64_t>(state.first_duplicate),
                           static_cast<std::int64_t>(state.before));
  }
  return {};
}

Status DeferredErrors::take(bool wait) {
  Status first;
  std::vector<Ticket> later;
  for (Ticket& ticket : tickets_) {
    const bool known = ticket.ready() || (wait && !ticket.captured());
    if (known) {
      Status status = ticket.wait();
      if (first && !status) first = std::move(status);
    }
    if (!known || ticket.captured()) later.push_back(std::move(ticket));
  }
  tickets_ = std::move(later);
  return first;
}

}  // namespace strew::cuda
