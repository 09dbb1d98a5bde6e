// Calls whose arrays lie on a CUDA device: the same plan, another machine.
#include "device_call.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "call.h"
#include "checked_indices.h"
#include "cuda_library.h"
#include "device_array.h"
#include "explain.h"
#include "output.h"

namespace strew::python {
namespace {

constexpr std::int64_t kWorkspaceAlignment = 256;

// The library; whoever holds a ticket has it open.
const cuda::Door& door() { return cuda_door("strew.cuda: "); }

// Refusals of calls that did not wait, with what must not be given up before the stream got there.
class DeferredErrors {
 public:
  DeferredErrors() = default;
  // Waits: the device may not have read the arrays that are kept. Refusals that nobody asked for are lost.
  ~DeferredErrors() {
    for (const auto& [ticket, kept] : calls_) {
      if (!door().captured(ticket)) std::ignore = door().wait(ticket);
    }
  }
  DeferredErrors(const DeferredErrors&) = delete;
  DeferredErrors& operator=(const DeferredErrors&) = delete;

  void add(cuda::Ticket ticket, std::vector<nb::object> kept) {
    calls_.emplace_back(std::move(ticket), std::move(kept));
  }
  bool ready() const {
    for (const auto& [ticket, kept] : calls_) {
      if (!door().ready(ticket)) return false;
    }
    return true;
  }
  // Raises the first refusal among the calls that are done, or among all.
  void check(bool all) {
    std::vector<Call> calls = std::exchange(calls_, {});
    std::optional<Status> refused;
    for (Call& call : calls) {
      const bool captured = door().captured(call.first);  // stays, for every launch of its graph
      if ((all && !captured) || door().ready(call.first)) {
        Status status = without_lock(true, [&] { return door().wait(call.first); });
        if (!refused && !status) refused = std::move(status);
        if (!captured) continue;
      }
      calls_.push_back(std::move(call));
    }
    if (refused) unwrap(std::move(*refused));
  }

 private:
  using Call = std::pair<cuda::Ticket, std::vector<nb::object>>;
  std::vector<Call> calls_;
};

DeferredErrors* deferred_of(const char* op, nb::handle given) {
  DeferredErrors* errors = nullptr;
  if (given.is_none()) return errors;
  if (!nb::try_cast(given, errors) || errors == nullptr) {
    raise(ErrorCode::kInvalidType,
          std::string(op) + ": deferred is a " + type_name_of(given) + "; it must be a strew.cuda.DeferredErrors");
  }
  return errors;
}

// Whether an operand was made of a sequence or a scalar, which lie nowhere yet.
bool is_placeless(const Operand& operand) {
  return operand.kind == ArrayKind::kNumPy && operand.checked == nullptr &&
         PyArray_Check(operand.given.ptr()) == 0;
}

// The operands of a call, where the data lie.
struct Placed {
  const Given& given;
  std::vector<Operand> brought;  // never moved once views look at them
  const Operand* indices = nullptr;
  const Operand* updates = nullptr;

  explicit Placed(const Given& call) : given(call) {
    brought.reserve(2);
    const auto operands = named_operands(given);
    indices = place(operands[1]);
    updates = place(operands[2]);
    if (given.alpha != nullptr) check_on_host("alpha", *given.alpha);
    if (given.fill != nullptr && given.fill->operand) check_on_host("fill_value", *given.fill->operand);
  }

  const Operand* place(const NamedOperand& one) {
    if (one.operand == nullptr) return nullptr;
    if (!one.operand->on_device() && given.data.on_device() && is_placeless(*one.operand)) {
      return &brought.emplace_back(to_device(given.op, one.name, *one.operand, given.data));
    }
    check_one_place(given.op, one.name, *one.operand, given.data);
    return one.operand;
  }

  void check_on_host(const char* name, const Operand& operand) const {
    if (!operand.on_device()) return;
    raise(ErrorCode::kInvalidArgument, std::string(given.op) + ": " + name + " lies " + place_of(operand) +
                                           "; it is read in CPU memory: give a number");
  }

  std::vector<const Operand*> all() const {
    std::vector<const Operand*> operands{&given.data};
    if (indices != nullptr) operands.push_back(indices);
    if (updates != nullptr) operands.push_back(updates);
    return operands;
  }
};

cuda::DeviceView device_view(const TensorView& view) {
  if (view.dense()) return {view.data(), view.dtype(), view.shape()};
  return {view.data(), view.dtype(), view.shape(), view.strides()};
}

cuda::MutableDeviceView device_view(const MutableTensorView& view) {
  if (view.dense()) return {view.data(), view.dtype(), view.shape()};
  return {view.data(), view.dtype(), view.shape(), view.strides()};
}

cuda::Operands device_operands(const Placed& placed) {
  const Given& given = placed.given;
  cuda::Operands operands{device_view(given.data.view)};
  if (placed.indices != nullptr) operands.indices.emplace(device_view(placed.indices->view));
  if (placed.updates != nullptr) operands.updates.emplace(device_view(placed.updates->view));
  if (given.fill != nullptr && given.fill->operand) operands.fill_value = given.fill->operand->view;
  if (given.alpha != nullptr) operands.alpha = given.alpha->view;
  return operands;
}

nb::str text(std::string_view words) { return nb::str(words.data(), words.size()); }

nb::dict explained(const Placed& placed, const cuda::Explanation& explanation) {
  std::string call = placed.given.op;
  const char* before = ": ";
  for (const NamedOperand& one : named_operands(placed.given)) {
    if (one.operand == nullptr) continue;
    const bool first = one.operand == &placed.given.data;
    call.append(std::exchange(before, ", ")).append(first ? "" : std::string(one.name) + " ");
    call.append(type_of(*one.operand) + " " + to_string(one.operand->shape()));
  }
  nb::list considered;
  for (const std::string& one : explanation.considered) considered.append(text(one));
  nb::dict all;
  all["call"] = text(call);
  all["device"] = text(place_of(placed.given.data).substr(3));
  all["strategy"] = text(door().strategy_name(explanation.strategy));
  all["reason"] = text(explanation.reason);
  all["scratch_bytes"] = explanation.scratch_bytes;
  all["considered"] = considered;
  all["uses_checked_indices"] = explanation.uses_checked_indices;
  return all;
}

// The workspace of the caller's library; where that gives none, the call takes it from CUDA.
nb::object take_workspace(const Given& given, std::int64_t bytes, cuda::Options& options) {
  if (bytes == 0) return {};
  auto [owner, address] = new_device_memory(given.op, given.data, bytes + kWorkspaceAlignment - 1);
  if (address == nullptr) return {};
  const auto number = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
  const std::int64_t skipped = (kWorkspaceAlignment - number % kWorkspaceAlignment) % kWorkspaceAlignment;
  options.workspace = static_cast<char*>(address) + skipped;
  options.workspace_bytes = bytes;
  return std::move(owner);
}

// Another library may still be at work on another stream; so may this one where the caller chose the stream.
// Indices that were checked were waited for.
void follow_operands(const Placed& placed, const cuda::Door& library, void* stream) {
  for (const Operand* operand : placed.all()) {
    if (operand->stream == stream || operand->checked != nullptr) continue;
    unwrap(library.follow(placed.given.data.device, stream, operand->stream));
  }
}

// What is known of indices, instead of a call.
void keep_indices(const Placed& placed, const cuda::Door& library, const Plan& plan,
                  const cuda::Options& options) {
  check_all_unchanged(placed.given);
  follow_operands(placed, library, options.stream);
  const cuda::DeviceView view = device_view(placed.indices->view);
  const int device = placed.given.data.device;
  auto checked = unwrap(without_lock(true, [&] { return library.check_indices(device, plan, view, options); }));
  *placed.given.wanted.checked =
      CheckedIndices{*placed.indices, std::nullopt, std::move(checked), axis_sizes_of(plan)};
}

}  // namespace

bool is_on_device(const Given& given) {
  const auto lies_there = [](const Operand* operand) { return operand != nullptr && operand->on_device(); };
  return given.data.on_device() || lies_there(given.indices) || lies_there(given.updates);
}

void check_no_device_options(const Given& given) {
  for (const auto& [name, value] :
       {std::pair("stream", given.device.stream), {"deferred", given.device.deferred}}) {
    if (value.is_none()) continue;
    raise(ErrorCode::kInvalidArgument, std::string(given.op) + ": " + name + " is for arrays on CUDA devices; " +
                                           named_operands(given)[0].name + " lies in CPU memory");
  }
}

nb::object run_on_device(const Given& given, const Plan& plan) {
  const Placed placed(given);
  const Operand& data = given.data;
  const cuda::Door& library =
      cuda_door(std::string(given.op) + ": " + named_operands(given)[0].name + " lies " + place_of(data) + "; ");
  DeferredErrors* const deferred = deferred_of(given.op, given.device.deferred);
  const bool stream_given = !given.device.stream.is_none();
  cuda::Options options;
  options.stream = stream_given ? stream_of(given.op, given.device.stream) : data.stream;
  options.scratch_limit = scratch_limit();
  options.output_is_new = given.out.is_none();
  if (deferred != nullptr && !stream_given && !data.knows_stream) {
    raise(ErrorCode::kInvalidArgument,
          std::string(given.op) + ": a " + type_name_of(data.given) +
              " does not say on which stream it is used, so a call on it has to wait; "
              "leave out deferred, or give stream");
  }
  if (given.wanted.checked != nullptr) {
    keep_indices(placed, library, plan, options);
    return nb::none();
  }
  if (placed.indices != nullptr && placed.indices->checked != nullptr)
    options.checked_indices = &*placed.indices->checked->on_device;
  Output output = given.out.is_none() ? Output::make(given.op, data, plan.output_shape())
                                      : Output::given(given.op, given.out, data, plan.output_shape());
  check_all_unchanged(given);
  const cuda::Operands operands = device_operands(placed);
  const cuda::MutableDeviceView target = device_view(output.view());
  const cuda::Explanation explanation = unwrap(library.explain(data.device, plan, operands, target, options));
  if (given.wanted.explanation != nullptr) {
    given.wanted.explanation->on_device = explained(placed, explanation);
    return nb::none();
  }
  if (deferred != nullptr) deferred->check(false);
  nb::object workspace = take_workspace(given, explanation.scratch_bytes, options);
  follow_operands(placed, library, options.stream);
  if (deferred == nullptr) {
    unwrap(without_lock(true, [&] { return library.run(data.device, plan, operands, target, options); }));
  } else {
    cuda::Ticket ticket = unwrap(library.enqueue(data.device, plan, operands, target, options));
    std::vector<nb::object> kept{workspace, nb::borrow(output.array())};
    for (const Operand* operand : placed.all()) {
      kept.push_back(operand->owner);
      if (operand->checked != nullptr) kept.push_back(nb::borrow(operand->given));
    }
    deferred->add(std::move(ticket), std::move(kept));
  }
  return output.take(given.op, data, placed.updates, plan.reduction());
}

void add_device(nb::module_& module) {
  nb::class_<DeferredErrors>(
      module, "DeferredErrors",
      "Refusals of calls on CUDA devices that did not wait.\n\n"
      "Given to an operator as `deferred`, it takes note of the call, which then returns while the "
      "device works. A refusal comes out of `wait` or `check`, or out of a later call with the same "
      "object, which then does nothing itself. A refused call writes nothing to arrays that were there "
      "before; a result that was new holds anything. For one stream and one thread at a time. Until a call "
      "was found to be done its arrays are kept.\n\n"
      "Examples\n--------\n"
      ">>> import strew.cuda\n"
      ">>> later = strew.cuda.DeferredErrors()\n"
      ">>> later.ready()\n"
      "True\n"
      ">>> later.wait()")
      .def(nb::init<>())
      .def("ready", &DeferredErrors::ready, "Whether the device is done with all of its calls.")
      .def(
          "check", [](DeferredErrors& errors) { errors.check(false); },
          "Raise the first refusal among the calls that are done; these are forgotten.")
      .def(
          "wait", [](DeferredErrors& errors) { errors.check(true); },
          "Wait for all of its calls, and raise the first refusal.");
  module.def("_cuda_unavailable_reason", []() -> nb::object {
    const Status here = cuda_door("").check_available();
    return here ? nb::none() : nb::object(text(here.error().message));
  });
}

}  // namespace strew::python
