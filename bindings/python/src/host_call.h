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

  void run();
  /// The caller's kind of array. Called once, after `run`.
  nb::object take_output();
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
  std::optional<Plan> moved_;  // its plan for types in memory, if these differ
  Reduction reduction_;
  Output output_;
  Unchanged unchanged_;  // asked after `out` was read
  bool fills_apart_;     // NumPy writes the fill value
  bool releases_lock_ = false;
  std::shared_ptr<Executor> executor_;
  Options options_;
};

/// Raises the error of a run; the message calls the output `out` if the caller passed one.
void check_done(Status status, nb::handle out);

/// Moves strings into a new object array, or concatenates them if there is a reduction. The caller holds the GIL,
/// which access to Python objects needs.
void move_strings(const char* op, const Plan& plan, Reduction reduction, const Operands& operands,
                  const Output& output, const Options& options);

/// Plans a call, allocates its output and runs it on the device of its data.
nb::object run_call(const CallRequest& request);

}  // namespace strew::python
