// Enqueues the stages of a call, converts its state to an error, and collects the errors of deferred calls.
#include "cuda/stages.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/view_check.h"
#include "cuda/positions.h"
#include "cuda/steps.h"
#include "engine/steps.h"
#include "index/check.h"

namespace strew::cuda {
namespace {

// Returns the element repeated to 16 bytes, or zeros if there is none.
std::array<std::uint32_t, 4> repeated(const std::optional<TensorView>& element, DType dtype) {
  std::array<std::uint32_t, 4> words{};
  if (!element) return words;
  const auto width = static_cast<std::size_t>(std::max(bit_width(dtype) / 8, 1));
  auto* bytes = reinterpret_cast<std::byte*>(words.data());
  for (std::size_t at = 0; at < sizeof words; at += width) std::memcpy(bytes + at, element->data(), width);
  return words;
}

// Returns the bits of a fill value of a packed type, or 0 if there is none.
unsigned packed_fill(const std::optional<TensorView>& element, DType dtype) {
  if (!element) return 0;
  return *static_cast<const std::uint8_t*>(element->data()) & ((1u << bit_width(dtype)) - 1u);
}

}  // namespace

Stages::Stages(const Prepared& prepared, const DeviceOptions& options, Queue& queue, const Buffers& buffers)
    : prepared_(prepared),
      call_(prepared.call),
      layout_(prepared.layout),
      options_(options),
      queue_(queue),
      buffers_(buffers),
      at_(prepared.layout.at) {
  at_.chosen = layout_.chosen > 0 ? buffers_.chosen : Numbers{};
}

void Stages::know_indices() {
  queue_.clear(buffers_.state, 0xFF, sizeof(CallState));
  if (prepared_.kept == nullptr) check();
  if (prepared_.sizes.winners > 0) find_winners();
  if (prepared_.sizes.sorting > 0) sort();
  if (prepared_.sorts(options_) && prepared_.verdict.kind == DeviceStrategy::kLastWins) {
    find_duplicate(queue_, runs(), buffers_.sorted_position, buffers_.state);
  }
}

void Stages::run() {
  if (prepared_.verdict.kind == DeviceStrategy::kGatherFused) return gather_while_checking();
  know_indices();
  if (call_.plan.is_scatter()) return scatter();
  if (layout_.moves) gather();
}

void Stages::check() {
  if (layout_.tuples) {
    TupleCheck tuples = *layout_.tuples;
    tuples.chosen = {at_.chosen.at, layout_.wide};
    tuples.state = buffers_.state;
    check_tuples(queue_, tuples);
  }
  if (layout_.starts) {
    StartCheck starts = *layout_.starts;
    starts.chosen = {at_.chosen.at, layout_.wide};
    starts.state = buffers_.state;
    check_starts(queue_, starts);
  }
}

void Stages::find_winners() {
  // scatter_packed reads the entries of all destinations, so those of destinations without updates must be 0.
  if (packed()) queue_.clear(buffers_.winner.at, 0, at_.location_count * (layout_.wide ? 8 : 4));
  cuda::find_winners(queue_, at_, buffers_.winner);
}

void Stages::sort() {
  list_keys(queue_, at_, buffers_.key, buffers_.position);
  int bits = 1;
  while (at_.location_count >> bits != 0) ++bits;
  queue_.sort({buffers_.key.at, buffers_.sorted_key.at, buffers_.position.at, buffers_.sorted_position.at,
               layout_.wide, at_.count, bits, buffers_.sort, buffers_.sort_bytes});
  if (prepared_.verdict.kind != DeviceStrategy::kSortFold) return;
  queue_.clear(buffers_.run_count, 0, sizeof *buffers_.run_count);
  list_runs(queue_, runs());
}

Runs Stages::runs() const {
  return {buffers_.sorted_key, at_.count, static_cast<std::uint64_t>(at_.location_count), buffers_.run,
          buffers_.run_count};
}

void Stages::gather() {
  if (packed()) return gather_packed(queue_, packed_move(false));
  move_rows(queue_, gather_move(), layout_.unit_bytes);
}

void Stages::gather_while_checking() {
  queue_.clear(buffers_.state, 0xFF, sizeof(CallState));
  TupleCheck tuples = *layout_.tuples;
  tuples.state = buffers_.state;
  gather_fused(queue_, gather_move(), tuples, layout_.unit_bytes);
}

Move Stages::gather_move() const {
  const DType dtype = call_.plan.dtype();
  Move move;
  move.at = in_units(at_, width(), layout_.unit_bytes);
  move.from = call_.operands.data.data();
  move.to = call_.output.data();
  move.state = buffers_.state;
  move.fill = repeated(call_.plan.fill_value(), dtype);
  if (is_packed(dtype)) {  // copied as whole bytes
    unsigned byte = 0;
    for (int shift = 0; shift < 8; shift += bit_width(dtype)) {
      byte |= packed_fill(call_.plan.fill_value(), dtype) << shift;
    }
    move.fill.fill(byte * 0x01010101u);
  }
  return move;
}

void Stages::scatter() {
  // For packed elements, one thread per byte combines data with the winning updates of the elements in that byte.
  if (layout_.moves && packed()) return scatter_packed(queue_, packed_move(true));
  copy_data();
  if (!layout_.moves) return;
  const DeviceStrategy kind = prepared_.verdict.kind;
  if (kind == DeviceStrategy::kLastWins) return move_winners();
  if (kind == DeviceStrategy::kAtomic) return combine_atomically(queue_, reduce());
  if (kind == DeviceStrategy::kColumns) return walk_columns();
  fold();
}

PackedMove Stages::packed_move(bool wins) const {
  PackedMove move;
  move.at = at_;
  move.bits = bit_width(call_.plan.dtype());
  move.count = element_count(call_.output.shape());
  move.data = static_cast<const std::uint8_t*>(call_.operands.data.data());
  move.single = is_single_value(call_.operands.data);
  if (wins) {
    move.updates = static_cast<const std::uint8_t*>(call_.operands.updates->data());
    move.winner = buffers_.winner;
  }
  move.fill = packed_fill(call_.plan.fill_value(), call_.plan.dtype());
  move.to = static_cast<std::uint8_t*>(call_.output.data());
  move.state = buffers_.state;
  return move;
}

void Stages::copy_data() {
  if (in_place(call_) || element_count(call_.output.shape()) == 0) return;
  if (is_packed(call_.plan.dtype())) return scatter_packed(queue_, packed_move(false));
  int unit_bytes = 1;
  Move move = copy_of_data(call_, unit_bytes);
  move.state = buffers_.state;
  move_rows(queue_, move, unit_bytes);
}

void Stages::move_winners() {
  Move move;
  move.at = in_units(at_, width(), layout_.unit_bytes);
  move.scatters = true;
  move.from = call_.operands.updates->data();
  move.to = call_.output.data();
  move.winner = buffers_.winner;
  move.state = buffers_.state;
  move_rows(queue_, move, layout_.unit_bytes);
}

Reduce Stages::reduce() const {
  Reduce reduce;
  reduce.at = at_;
  reduce.reduction = folded_reduction(call_.plan.dtype(), call_.plan.reduction());
  reduce.dtype = call_.plan.dtype();
  reduce.target = call_.output.data();
  reduce.updates = call_.operands.updates->data();
  reduce.state = buffers_.state;
  return reduce;
}

void Stages::walk_columns() {
  const Columns columns = in_columns(at_);
  FoldCall call;
  call.reduce = reduce();
  call.reduce.at = columns.at;
  call.scales = call_.plan.has_alpha();
  call.alpha = repeated(call_.plan.alpha(), call_.plan.dtype());
  fold_columns(queue_, call, columns.steps);
}

void Stages::fold() {
  const Plan& plan = call_.plan;
  FoldCall call;
  call.reduce = reduce();
  call.runs = runs();
  call.position = buffers_.sorted_position;
  call.widens = plan.acc_dtype() == AccDType::kFloat32;
  call.include_self = plan.include_self();
  call.mean = plan.reduction() == Reduction::kMean;
  call.scales = plan.has_alpha();
  call.alpha = repeated(plan.alpha(), plan.dtype());
  call.packs = layout_.unit_bytes == 16;
  if (prepared_.hot.from > 0) {
    call.hot = prepared_.hot;
    call.hot.count = buffers_.hot_count;
    call.hot.bounds = buffers_.hot_bounds;
    call.hot.summaries = buffers_.summaries;
    queue_.clear(call.hot.count, 0, sizeof *call.hot.count);
  }
  fold_runs(queue_, call);
}

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
