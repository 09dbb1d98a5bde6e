// Runs plans: operands, options, and the call.
#pragma once

#include <cstdint>
#include <optional>

#include "strew/error.h"
#include "strew/executor.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/view.h"

STREW_API_BEGIN
namespace strew {

class CheckedIndices;
struct Overrides;

struct Limits {
  /// Maximum scratch memory in bytes. A call uses the best strategy that needs no more (see docs/design.md).
  std::int64_t scratch_bytes = std::int64_t{1} << 30;
};

/// Guarantees by the caller that allow faster code.
struct Promises {
  /// True: a failed call may leave the output partly written, so calls read index values once instead of twice
  /// if that is faster. Ignored if the output is `data` (in place).
  bool output_is_new = false;
  /// The result of `check_indices` for the indices of this call. The call then does not check them again.
  const CheckedIndices* checked_indices = nullptr;
};

/// Options of a run. They never change the elements of a result.
struct Options {
  /// Runs the tasks; nullptr: `default_executor()`.
  Executor* executor = nullptr;
  /// Without a reduction, rejects two assignments to the same element instead of letting the last one win.
  bool reject_duplicates = false;
  Limits limits = {};
  Promises promises = {};
  /// For tests and measurements: strew/testing.h.
  const Overrides* overrides = nullptr;
};

/// The operands of a plan. `updates` must be nullopt for a gather, and `indices` for a plan without indices.
struct Operands {
  TensorView data;
  std::optional<TensorView> indices = std::nullopt;
  std::optional<TensorView> updates = std::nullopt;
};

/// Runs a plan and writes to `output`, which for a scatter may be `data` itself (in place). Rejects any other
/// overlap of output and operands. Checks all indices before the first write, so that an error leaves the output
/// untouched (docs/semantics.md lists the exceptions). The operands must have the plan's types and shapes.
[[nodiscard]] Status run(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                         const Options& options = {});

/// Addresses of dense operands; nullptr for absent ones.
struct DenseOperands {
  const void* data;
  const void* indices = nullptr;
  const void* updates = nullptr;
};

/// As `run`, but for a dense output and dense operands, without checking their types and shapes.
[[nodiscard]] Status run_dense(const Plan& plan, const DenseOperands& operands, void* output,
                               const Options& options = {});

}  // namespace strew
STREW_API_END
