// Calls whose arrays lie in CPU memory.
#pragma once

#include <memory>
#include <optional>

#include "call_request.h"
#include "output.h"
#include "strew/executor.h"
#include "strew/explain.h"
#include "strew/run.h"

namespace strew::python {

/// A planned call with its output and options, ready to run.
class HostCall {
 public:
  /// TypeError and ValueError for an `out` that does not fit, and for operands that were changed since they were
  /// read.
  HostCall(const CallRequest& request, const Plan& plan);

  /// The caller's kind of array.
  nb::object run();
  Explanation explain() const;

 private:
  bool moves_strings() const noexcept;
  Operands operands() const;
  bool is_dense() const noexcept;
  DenseOperands addresses() const noexcept;
  void set_options();
  void move();

  const CallRequest& request_;
  const Plan* plan_;           // the caller's, or
  std::optional<Plan> moved_;  // one of what is moved, where that has another type in memory
  Reduction reduction_;
  Output output_;
  Unchanged unchanged_;  // asked after `out` was read
  bool fills_apart_;     // NumPy writes the fill value
  bool releases_lock_ = false;
  std::shared_ptr<Executor> executor_;
  Options options_;
};

/// Raises what a run refused. Python's name of the output is that of its argument, where one was given.
void check_done(Status status, nb::handle out);

/// Plans and runs a call, where its data lie.
nb::object run_call(const CallRequest& request);

}  // namespace strew::python
