// Waits for calls on CUDA devices, and raises their errors.
#include <optional>
#include <tuple>

#include "call.h"
#include "device_call.h"

namespace strew::python {
namespace {

// Returns `work` as a method that rejects arguments.
template <class Work>
auto method(const char* name, const Work& work) {
  return [name, work](DeferredErrors& errors, const nb::args& given, const nb::kwargs& named) {
    if (given.size() + named.size() > 0) raise(ErrorCode::kInvalidType, {name}, "no arguments are accepted");
    return work(errors);
  };
}

// Returns the library, which is already loaded if a ticket exists.
const cuda::Door& door() { return cuda_door("strew.cuda: "); }

}  // namespace

DeferredErrors::~DeferredErrors() {
  for (const auto& [ticket, kept] : calls_) {
    if (!door().captured(ticket)) std::ignore = door().wait(ticket);
  }
}

void DeferredErrors::add(cuda::Ticket ticket, std::vector<nb::object> kept) {
  calls_.emplace_back(std::move(ticket), std::move(kept));
}

bool DeferredErrors::ready() const {
  for (const auto& [ticket, kept] : calls_) {
    if (!door().ready(ticket)) return false;
  }
  return true;
}

void DeferredErrors::check(bool all) {
  std::vector<Call> calls = std::exchange(calls_, {});
  std::optional<Status> refused;
  for (Call& call : calls) {
    const bool captured = door().captured(call.first);  // a captured call stays: each launch of its graph may fail
    if ((all && !captured) || door().ready(call.first)) {
      Status status = without_lock(true, [&] { return door().wait(call.first); });
      if (!refused && !status) refused = std::move(status);
      if (!captured) continue;
    }
    calls_.push_back(std::move(call));
  }
  if (refused) unwrap(std::move(*refused));
}

DeferredErrors* current_deferred_errors() {
  const nb::object current = attribute("strew._device", "deferred_errors")();
  return current.is_none() ? nullptr : nb::cast<DeferredErrors*>(current);
}

void add_device(nb::module_& module) {
  nb::class_<DeferredErrors>(
      module, "DeferredErrors",
      "Refusals of calls that did not wait for the CUDA device.\n\n"
      "`strew.cuda.deferred` makes this object for the calls inside its block. `wait`, `check` or a later call "
      "raises a refusal; a later call that raises one does nothing else. A refused call writes nothing to "
      "arrays that existed before the call; the content of a new result is undefined. The object refers to the "
      "arrays of a call until it finds that the call has finished.\n\n"
      "Examples\n--------\n"
      ">>> import strew.cuda\n"
      ">>> with strew.cuda.deferred() as later:\n"
      "...     later.ready()\n"
      "True\n"
      ">>> later.wait()")
      .def(
          "__init__",
          [](DeferredErrors* self, const nb::args& given, const nb::kwargs& named) {
            if (given.size() + named.size() > 0)
              raise(ErrorCode::kInvalidType, {"DeferredErrors"}, "no arguments are accepted");
            new (self) DeferredErrors();
          },
          nb::sig("def __init__(self) -> None"))
      .def("ready", method("ready", [](const DeferredErrors& errors) { return errors.ready(); }),
           nb::sig("def ready(self) -> bool"), "Return whether the device has finished all of the calls.")
      .def("check", method("check", [](DeferredErrors& errors) { errors.check(false); }),
           nb::sig("def check(self) -> None"),
           "Raise the first refusal among the finished calls, and forget these calls.")
      .def("wait", method("wait", [](DeferredErrors& errors) { errors.check(true); }),
           nb::sig("def wait(self) -> None"), "Wait for all of the calls, and raise the first refusal.");
  module.def("_cuda_unavailable_reason", []() -> nb::object {
    const Status here = cuda_door("").check_available();
    return here ? nb::none() : nb::object(str_of(here.error().message()));
  });
}

}  // namespace strew::python
