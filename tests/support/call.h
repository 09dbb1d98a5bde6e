// Call: one call of any of the operators as a value, so that tests can run it in many ways.
#pragma once

#include <optional>
#include <string>

#include "reference/reference.h"
#include "strew/ops.h"

namespace strew::support {

/// The operator and its attributes; those of other operators are not used.
struct Call {
  OpKind op = OpKind::kGather;
  std::int64_t axis = 0;
  std::int64_t batch_dims = 0;
  Reduction reduction = Reduction::kNone;
  WriteMode mode = WriteMode::kLinear;
  IndexRules rules = {};
  bool include_self = true;
  Accumulate accumulate = Accumulate::kData;
};

inline bool is_scatter(OpKind op) { return op >= OpKind::kScatterElements; }

/// "scatter_nd reduction=add axis=0 batch_dims=0 mode=linear out_of_bounds=error negative_indices=from_end
/// include_self=true accumulate=data".
std::string to_string(const Call& call);

/// The library, the two forms. `indices` may be missing for TensorScatter only, `updates` for gathers.
Result<Tensor> run(const Call& call, const Operands& operands, const Options& options);
Status run_into(const Call& call, const Operands& operands, const MutableTensorView& output,
                const Options& options);

/// The plan for these operands.
Result<Plan> make_plan(const Call& call, const Operands& operands);

/// The oracle.
reference::Outcome run_reference(const Call& call, const Operands& operands);

}  // namespace strew::support
