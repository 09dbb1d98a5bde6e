// Running a plan: operands, options, and the call.
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

/// What a call may use.
struct Limits {
  /// Bytes of scratch memory. A strategy that needs more is passed over for the next best. docs/design.md says
  /// what each needs.
  std::int64_t scratch_bytes = std::int64_t{1} << 30;
};

/// What the caller knows and the call cannot see.
struct Promises {
  /// Nobody needs what is in the output: on an error it may have been written to. Index values are then read once
  /// instead of twice where that pays. An output that is `data` (in place) is never new.
  bool output_is_new = false;
  /// What `check_indices` said of these indices: they are not checked again.
  const CheckedIndices* checked_indices = nullptr;
};

/// How a call is run. Results never depend on it.
struct Options {
  /// Who runs the tasks; nullptr stands for `default_executor()`.
  Executor* executor = nullptr;
  /// Report two plain assignments to one place as an error instead of letting the last one win.
  bool reject_duplicates = false;
  Limits limits = {};
  Promises promises = {};
  /// For tests and measurements: strew/testing.h.
  const Overrides* overrides = nullptr;
};

/// The operands of a plan. `updates` is not used by gathers; `indices` not by a plan without indices.
struct Operands {
  TensorView data;
  std::optional<TensorView> indices = std::nullopt;
  std::optional<TensorView> updates = std::nullopt;
};

/// Runs a plan into `output`, which for a scatter may be `data` itself (in place). Any other overlap of
/// output and operands is refused. All indices are checked before the first write to it; on an
/// error the output is untouched (docs/semantics.md has the exceptions, Promises::output_is_new among them). The
/// specs of the operands must be those of the plan.
[[nodiscard]] Status run(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                         const Options& options = {});

/// Addresses of dense operands: nullptr where Operands leaves them out.
struct DenseOperands {
  const void* data;
  const void* indices = nullptr;
  const void* updates = nullptr;
};

/// The same for operands and an output that are dense and have the types and shapes that the plan was made from,
/// which cannot be checked here: a small call costs no more than its work.
[[nodiscard]] Status run_dense(const Plan& plan, const DenseOperands& operands, void* output,
                               const Options& options = {});

}  // namespace strew
STREW_API_END
