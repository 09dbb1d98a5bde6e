// Call: a call of any operator as a value, so that tests can run the call in many ways.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "reference/reference.h"
#include "strew/ops.h"

namespace strew::support {

/// An operator and its attributes. Attributes of other operators are ignored.
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

/// Operands, and the scalars of a call's plan: fill value and alpha.
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

/// Returns the name of a test whose parameter is an operator.
inline constexpr auto name_of_test = [](const auto& test) { return std::string(op_name(test.param)); };

/// Returns the operator and its attributes, such as "scatter_nd reduction=add axis=0 ... acc_dtype=data".
std::string to_string(const Call& call);

/// Calls the library. Only TensorScatter may lack `indices`, and only gathers lack `updates`.
Result<Tensor> run(const Call& call, const CallOperands& operands, const Options& options);
Status run_into(const Call& call, const CallOperands& operands, const MutableTensorView& output,
                const Options& options);

Result<Plan> make_plan(const Call& call, const CallOperands& operands);

reference::Outcome run_reference(const Call& call, const CallOperands& operands);

}  // namespace strew::support
