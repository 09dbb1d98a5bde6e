// Errors of calls that returned before a CUDA device had executed them.
#pragma once

#include <utility>
#include <vector>

#include "cuda_door.h"
#include "numpy_api.h"

namespace strew::python {

/// Enqueued calls, each with the objects that must live until the stream has executed it.
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

/// Returns the object of this thread's innermost `strew.cuda.deferred` block; nullptr outside of one.
DeferredErrors* current_deferred_errors();

/// Adds the class DeferredErrors and the function _cuda_unavailable_reason to the module.
void add_device(nb::module_& module);

}  // namespace strew::python
