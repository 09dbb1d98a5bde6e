// Call: one call of any of the operators as a value, so that tests can run it in many ways.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

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
  AccDType acc_dtype = AccDType::kData;
};

/// Operands, and the scalars that the call's plan is made with.
struct CallOperands : Operands {
  CallOperands(Operands operands) : Operands(std::move(operands)) {}
  CallOperands(const TensorView& of_data, const std::optional<TensorView>& of_indices = std::nullopt,
               const std::optional<TensorView>& of_updates = std::nullopt)
      : Operands{of_data, of_indices, of_updates} {}
  std::optional<TensorView> fill_value;
  std::optional<TensorView> alpha;
};

inline constexpr std::array kOperators = {OpKind::kGather,    OpKind::kGatherElements,
                                          OpKind::kGatherND,  OpKind::kScatterElements,
                                          OpKind::kScatterND, OpKind::kTensorScatter};
inline bool is_scatter(OpKind op) { return op >= OpKind::kScatterElements; }

/// "scatter_nd reduction=add axis=0 batch_dims=0 mode=linear out_of_bounds=error negative_indices=from_end
/// include_self=true acc_dtype=data".
std::string to_string(const Call& call);

/// The library, the two forms. `indices` may be missing for TensorScatter only, `updates` for gathers.
Result<Tensor> run(const Call& call, const CallOperands& operands, const Options& options);
Status run_into(const Call& call, const CallOperands& operands, const MutableTensorView& output,
                const Options& options);

/// The plan for these operands.
Result<Plan> make_plan(const Call& call, const CallOperands& operands);

/// The oracle.
reference::Outcome run_reference(const Call& call, const CallOperands& operands);

}  // namespace strew::support
