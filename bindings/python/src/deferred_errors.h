// Refusals of calls on CUDA devices that did not wait.
#pragma once

#include <utility>
#include <vector>

#include "cuda_door.h"
#include "numpy_api.h"

namespace strew::python {

/// The calls that were enqueued, with what must not be given up before the stream got there.
class DeferredErrors {
 public:
  DeferredErrors() = default;
  /// Waits: the device may not have read the arrays that are kept. Refusals that nobody asked for are lost.
  ~DeferredErrors();
  DeferredErrors(const DeferredErrors&) = delete;
  DeferredErrors& operator=(const DeferredErrors&) = delete;

  void add(cuda::Ticket ticket, std::vector<nb::object> kept);
  bool ready() const;
  /// Raises the first refusal among the calls that are done, or among all.
  void check(bool all);

 private:
  using Call = std::pair<cuda::Ticket, std::vector<nb::object>>;
  std::vector<Call> calls_;
};

/// Those of the innermost `strew.cuda.deferred` that this thread is in; nullptr outside.
DeferredErrors* current_deferred_errors();

/// The class DeferredErrors, and whether there is a device.
void add_device(nb::module_& module);

}  // namespace strew::python
