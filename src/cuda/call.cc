// The road of one call: operands checked, laid out, chosen, put into a stream.
#include <algorithm>
#include <cstring>
#include <new>

#include "core/error.h"
#include "core/view_check.h"
#include "core/without_exceptions.h"
#include "cuda/choose.h"
#include "cuda/kernels.h"
#include "cuda/layout.h"
#include "cuda/steps.h"
#include "cuda/ticket.h"
#include "cuda/workspace.h"
#include "engine/operands.h"
#include "strew/cuda.h"

namespace strew::cuda {

struct Unwrap {
  static const TensorView& view(const DeviceView& view) { return view.view_; }
  static std::optional<TensorView> view(const std::optional<DeviceView>& view) {
    return view ? std::optional(view->view_) : std::nullopt;
  }
  static strew::Operands operands(const Operands& o) {
    return {view(o.data), view(o.indices), view(o.updates), o.fill_value, o.alpha};
  }
  static MutableTensorView output(const MutableDeviceView& o) {
    const TensorView& v = view(o);
    return v.dense() ? MutableTensorView(o.data(), v.dtype(), v.shape())
                     : MutableTensorView(o.data(), v.dtype(), v.shape(), v.strides());
  }
};

namespace {

// A call from checked operands to its kernels. Addresses are never read here.
struct Prepared {
  strew::Operands operands;
  MutableTensorView output;
  strew::Options options;
  Call call;
  Layout layout;
  Verdict verdict{};
  std::int64_t scratch_bytes = 0;

  Prepared(const Plan& plan, const Operands& o, const MutableDeviceView& to)
      : operands(Unwrap::operands(o)), output(Unwrap::output(to)), call{plan, operands, output, options} {}
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
};

Status check_alignment(const Call& call, std::string_view name, const TensorView& view) {
  const int parts = view.dtype() == DType::kComplex64 || view.dtype() == DType::kComplex128 ? 2 : 1;
  const int bytes = std::max(bit_width(view.dtype()) / 8 / parts, 1);
  if (reinterpret_cast<std::uintptr_t>(view.data()) % static_cast<unsigned>(bytes) == 0) return {};
  return fail(ErrorCode::kInvalidArgument, call.op(), ": the address of ", name, " is no multiple of ", bytes,
              " bytes; a device reads elements of ", dtype_name(view.dtype()), " only there");
}

Status check_all(const Call& call) {
  STREW_TRY(check_operands(call));
  STREW_TRY(check_alignment(call, call.data_name(), call.operands.data));
  if (call.operands.indices) STREW_TRY(check_alignment(call, call.index_name(), *call.operands.indices));
  if (call.operands.updates) STREW_TRY(check_alignment(call, call.updates_name(), *call.operands.updates));
  return check_alignment(call, call.output_name(), call.output);
}

bool sorts(const Prepared& prepared, const Options& options) {
  return prepared.layout.moves &&
         (prepared.verdict.kind == StrategyKind::kSortFold ||
          (options.reject_duplicates && prepared.verdict.kind == StrategyKind::kLastWins));
}

Pieces pieces_of(const Prepared& prepared, const Options& options, Queue& queue, void* base) {
  const Layout& layout = prepared.layout;
  PieceSizes sizes;
  sizes.wide = layout.wide;
  sizes.chosen = layout.chosen;
  if (layout.moves && prepared.verdict.kind == StrategyKind::kLastWins) sizes.winners = layout.at.places;
  if (sorts(prepared, options)) {
    sizes.sorted = layout.at.count;
    sizes.sort_bytes = queue.sort_bytes(layout.at.count, layout.wide);
  }
  return Pieces(sizes, base);
}

Status prepare(Prepared& prepared, const Options& options, Queue& queue) {
  const Plan& plan = prepared.call.plan;
  if (plan.dtype() == DType::kString) {
    return fail(ErrorCode::kUnsupported, prepared.call.op(), ": strings lie in host memory; a device has none");
  }
  STREW_TRY(check_all(prepared.call));
  auto verdict = choose(plan, options.force_strategy);
  if (!verdict) return fail(verdict.error());
  prepared.verdict = *verdict;
  prepared.layout = lay_out(prepared.call, wants_wide_numbers());
  prepared.scratch_bytes = pieces_of(prepared, options, queue, nullptr).bytes();
  if (prepared.scratch_bytes > options.scratch_limit) {
    return fail(ErrorCode::kUnsupported, prepared.call.op(), ": ", strategy_name(verdict->kind), " works in ",
                prepared.scratch_bytes, " bytes of device memory; the limit is ", options.scratch_limit);
  }
  return {};
}

// One element, again and again.
std::array<std::uint32_t, 4> repeated(const std::optional<TensorView>& element, DType dtype) {
  std::array<std::uint32_t, 4> words{};
  if (!element) return words;
  const auto width = static_cast<std::size_t>(std::max(bit_width(dtype) / 8, 1));
  auto* bytes = reinterpret_cast<std::byte*>(words.data());
  for (std::size_t at = 0; at < sizeof words; at += width) std::memcpy(bytes + at, element->data(), width);
  return words;
}

// Of elements that share bytes: the value, and all of a byte.
unsigned packed_fill(const std::optional<TensorView>& element, DType dtype) {
  if (!element) return 0;
  return *static_cast<const std::uint8_t*>(element->data()) & ((1u << bit_width(dtype)) - 1u);
}

class Enqueued {
 public:
  Enqueued(const Prepared& prepared, const Options& options, Queue& queue, Pieces& pieces)
      : call_(prepared.call),
        layout_(prepared.layout),
        at_(prepared.layout.at),
        verdict_(prepared.verdict),
        options_(options),
        queue_(queue),
        pieces_(pieces) {}

  void run() {
    queue_.clear(pieces_.state, 0xFF, sizeof(CallState));
    check();
    if (call_.plan.is_scatter()) return scatter();
    if (layout_.moves) gather();
  }

 private:
  bool packed() const { return is_packed(layout_.geometry.dtype); }
  std::int64_t width() const { return bit_width(layout_.geometry.dtype) / 8; }

  void check() {
    at_.chosen = layout_.chosen > 0 ? pieces_.chosen : Numbers{};
    if (layout_.tuples) {
      TupleCheck tuples = *layout_.tuples;
      tuples.chosen = {at_.chosen.at, layout_.wide};
      tuples.state = pieces_.state;
      check_tuples(queue_, tuples);
    }
    if (layout_.starts) {
      StartCheck starts = *layout_.starts;
      starts.chosen = {at_.chosen.at, layout_.wide};
      starts.state = pieces_.state;
      check_starts(queue_, starts);
    }
  }

  void gather() {
    const DType dtype = call_.plan.dtype();
    if (packed()) return gather_packed(queue_, packed_move(pieces_.winner));
    Move move;
    move.at = in_units(at_, width(), layout_.unit_bytes);
    move.from = call_.operands.data.data();
    move.to = call_.output.data();
    move.state = pieces_.state;
    move.fill = repeated(call_.operands.fill_value, dtype);
    if (is_packed(dtype)) {  // moved as whole bytes
      unsigned byte = 0;
      for (int shift = 0; shift < 8; shift += bit_width(dtype)) {
        byte |= packed_fill(call_.operands.fill_value, dtype) << shift;
      }
      move.fill.fill(byte * 0x01010101u);
    }
    move_rows(queue_, move, layout_.unit_bytes);
  }

  void scatter() {
    const bool finds_duplicates = options_.reject_duplicates && verdict_.kind == StrategyKind::kLastWins;
    if (layout_.moves && finds_duplicates) {
      sort();
      find_duplicate(queue_, runs(), pieces_.sorted_position, pieces_.state);
    }
    if (layout_.moves && packed()) return scatter_packed_elements();
    copy_data();
    if (!layout_.moves) return;
    if (verdict_.kind == StrategyKind::kLastWins) return move_winners();
    Reduce reduce;
    reduce.at = at_;
    reduce.reduction = folded_reduction(call_.plan.dtype(), call_.plan.reduction());
    reduce.dtype = call_.plan.dtype();
    reduce.target = call_.output.data();
    reduce.updates = call_.operands.updates->data();
    reduce.state = pieces_.state;
    if (verdict_.kind == StrategyKind::kAtomic) return combine_atomically(queue_, reduce);
    sort();
    fold(reduce);
  }

  PackedMove packed_move(const Numbers& winner) const {
    const bool scatters = call_.plan.is_scatter();
    PackedMove move;
    move.at = at_;
    move.bits = bit_width(call_.plan.dtype());
    move.count = element_count(call_.output.shape());
    move.data = static_cast<const std::uint8_t*>(call_.operands.data.data());
    move.single = is_single_value(call_.operands.data);
    if (scatters) move.updates = static_cast<const std::uint8_t*>(call_.operands.updates->data());
    move.winner = scatters ? winner : Numbers{};
    move.fill = packed_fill(call_.operands.fill_value, call_.plan.dtype());
    move.to = static_cast<std::uint8_t*>(call_.output.data());
    move.state = pieces_.state;
    return move;
  }

  void copy_data() {
    if (in_place(call_) || element_count(call_.output.shape()) == 0) return;
    if (is_packed(call_.plan.dtype())) return scatter_packed(queue_, packed_move({}));
    int unit_bytes = 1;
    Move move = copy_of_data(call_, unit_bytes);
    move.state = pieces_.state;
    move_rows(queue_, move, unit_bytes);
  }

  void move_winners() {
    find_winners(queue_, at_, pieces_.winner);
    Move move;
    move.at = in_units(at_, width(), layout_.unit_bytes);
    move.scatters = true;
    move.from = call_.operands.updates->data();
    move.to = call_.output.data();
    move.winner = pieces_.winner;
    move.state = pieces_.state;
    move_rows(queue_, move, layout_.unit_bytes);
  }

  // Every byte of the output is made by one thread, from data and from all that win in it.
  void scatter_packed_elements() {
    queue_.clear(pieces_.winner.at, 0, at_.places * (layout_.wide ? 8 : 4));
    find_winners(queue_, at_, pieces_.winner);
    scatter_packed(queue_, packed_move(pieces_.winner));
  }

  void sort() {
    list_keys(queue_, at_, pieces_.key, pieces_.position);
    int bits = 1;
    while (at_.places >> bits != 0) ++bits;
    queue_.sort({pieces_.key.at, pieces_.sorted_key.at, pieces_.position.at, pieces_.sorted_position.at,
                 layout_.wide, at_.count, bits, pieces_.sort, pieces_.sort_bytes});
  }

  Runs runs() const {
    return {pieces_.sorted_key, at_.count, static_cast<std::uint64_t>(at_.places), pieces_.run, pieces_.run_count};
  }

  void fold(const Reduce& reduce) {
    const Plan& plan = call_.plan;
    queue_.clear(pieces_.run_count, 0, sizeof *pieces_.run_count);
    list_runs(queue_, runs());
    FoldCall call;
    call.reduce = reduce;
    call.runs = runs();
    call.position = pieces_.sorted_position;
    call.widens = plan.accumulate() == Accumulate::kFloat32;
    call.include_self = plan.include_self();
    call.mean = plan.reduction() == Reduction::kMean;
    call.scales = plan.scales();
    call.alpha = repeated(call_.operands.alpha, plan.dtype());
    call.packs = layout_.unit_bytes == 16;
    fold_runs(queue_, call);
  }

  const Call& call_;
  const Layout& layout_;
  Positions at_;
  const Verdict& verdict_;
  const Options& options_;
  Queue& queue_;
  Pieces& pieces_;
};

}  // namespace

Result<Ticket> enqueue(const Plan& plan, const Operands& operands, const MutableDeviceView& output,
                       const Options& options) {
  return without_exceptions(plan, [&]() -> Result<Ticket> {
    Prepared prepared(plan, operands, output);
    Queue queue(options.stream);
    STREW_TRY(prepare(prepared, options, queue));
    const std::int64_t bytes = prepared.scratch_bytes;
    if (options.workspace != nullptr && options.workspace_bytes < bytes) {
      return fail(ErrorCode::kInvalidArgument, prepared.call.op(), ": the workspace has ", options.workspace_bytes,
                  " bytes; the call needs ", bytes);
    }
    void* const base = options.workspace != nullptr ? options.workspace : queue.allocate(bytes);
    if (base == nullptr) {
      return fail(ErrorCode::kOutOfMemory, prepared.call.op(), ": there are no ", bytes,
                  " bytes of device memory to work in");
    }
    Pieces pieces = pieces_of(prepared, options, queue, base);
    pieces.fence(queue, true);
    Enqueued(prepared, options, queue, pieces).run();
    auto receipt = request_state(queue, pieces.state);
    pieces.fence(queue, false);
    if (options.workspace == nullptr) queue.release(base);
    STREW_TRY(queue.status(prepared.call.op()));
    return TicketMaker::make(std::move(receipt), plan, prepared.operands, prepared.layout.geometry);
  });
}

Status run(const Plan& plan, const Operands& operands, const MutableDeviceView& output, const Options& options) {
  if (options.deferred != nullptr) STREW_TRY(options.deferred->poll());
  auto ticket = enqueue(plan, operands, output, options);
  if (!ticket) return fail(ticket.error());
  if (options.deferred == nullptr) return ticket->wait();
  options.deferred->add(*std::move(ticket));
  return {};
}

Result<Explanation> explain(const Plan& plan, const Operands& operands, const MutableDeviceView& output,
                            const Options& options) {
  return without_exceptions(plan, [&]() -> Result<Explanation> {
    Prepared prepared(plan, operands, output);
    Queue queue(options.stream);
    STREW_TRY(prepare(prepared, options, queue));
    Explanation explanation{prepared.verdict.kind, prepared.verdict.reason, prepared.scratch_bytes, {}};
    for (const Verdict& verdict : consider(plan)) {
      if (verdict.applies) continue;
      explanation.considered.push_back(concat(strategy_name(verdict.kind), ": ", verdict.reason));
    }
    return explanation;
  });
}

}  // namespace strew::cuda
