// Runs calls on CUDA devices with the library of the package strew-cuda13, and keeps the errors of deferred calls.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "call.h"
#include "cuda_door.h"
#include "operator_call.h"

namespace strew::python {

/// Runs a plan on the device of the data. Raises ValueError for an array that is not on this device, ImportError
/// if the package strew-cuda13 is missing, and the errors that calls in CPU memory raise.
nb::object run_on_device(const CallOperands& given, const Plan& plan);

nb::dict explain_on_device(const CallOperands& given, const Plan& plan);

CheckedIndices check_on_device(const CallOperands& given, const Plan& plan);

/// Returns the library's functions; the first call loads the library. Raises ImportError, with `why` as prefix, if
/// the package is missing or from a different version of Strew.
const cuda::Door& cuda_door(const std::string& why);

/// Enqueued calls, each with the objects that must live until the stream has executed the call.
class DeferredErrors {
 public:
  DeferredErrors() = default;
  /// Waits, since the device may still read the arrays. Drops errors that no check() raised.
  ~DeferredErrors();
  DeferredErrors(const DeferredErrors&) = delete;
  DeferredErrors& operator=(const DeferredErrors&) = delete;

  void add(cuda::Ticket ticket, std::vector<nb::object> kept);
  bool ready() const;
  /// Raises the first error of the completed calls. If `all`, waits for all calls and raises their first error.
  void check(bool all);

 private:
  using Call = std::pair<cuda::Ticket, std::vector<nb::object>>;
  std::vector<Call> calls_;
};

/// Returns the object of this thread's innermost `strew.cuda.deferred` block; nullptr outside of such blocks.
DeferredErrors* current_deferred_errors();

void add_device(nb::module_& module);

}  // namespace strew::python
