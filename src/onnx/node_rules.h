// One node against its operator version: inputs, types, attributes. Shapes are judged by plans and inference.
// Errors are collected, and say nothing of the node: whoever reports them puts its name in front.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onnx/model_proto.h"
#include "strew/model.h"
#include "strew/operators.h"
#include "strew/plan.h"

namespace strew {

/// The attributes of any operator of the family, with the defaults of the version filled in.
struct AttributeValues {
  std::int64_t axis = 0;
  std::int64_t batch_dims = 0;
  Reduction reduction = Reduction::kNone;
  WriteMode mode = WriteMode::kLinear;
};

/// "ScatterND-16"
std::string versioned_name(const OperatorVersion& op);

/// The operator version of the table with the same name and number; nullptr where there is none.
const OperatorVersion* table_entry(const OperatorVersion& op) noexcept;

/// The question that a plan answers for this operator; Scatter is a ScatterElements without reduction.
OpKind op_kind(const OperatorVersion& op) noexcept;

/// Too many inputs, or a required one that is left out. `present[i]` says whether input i is there.
void check_inputs(const OperatorVersion& op, const std::vector<bool>& present, std::vector<Error>& errors);

/// Types that the version does not take, and inputs that differ in T. Unknown types pass.
void check_types(const OperatorVersion& op, std::span<const std::optional<DType>> types,
                 std::vector<Error>& errors);

/// The value field that an attribute uses, by the rules of AttributeProto.type; kUndefined and an error where
/// they contradict each other.
AttributeKind attribute_kind(const AttributeProto& attribute, std::int64_t ir_version, std::vector<Error>& errors);

/// The attributes of a node as the model has them, without those that are wrong.
NodeAttributes read_attributes(const OperatorVersion& op, std::span<const AttributeProto> attributes,
                               std::int64_t ir_version, std::vector<Error>& errors);

/// Attribute names, kinds and strings against the version, defaults filled in.
AttributeValues resolve_attributes(const OperatorVersion& op, const NodeAttributes& attributes,
                                   std::vector<Error>& errors);

/// The same error with `front` before its message.
Error prefixed(std::string_view front, Error error);

}  // namespace strew
