// One node against its operator version: inputs, types, attributes. Shapes are judged by plans and inference.
// Errors are collected, and say nothing of the node: the caller puts its name in front.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "onnx/model_proto.h"
#include "plan/version_rules.h"
#include "strew/model.h"
#include "strew/operators.h"
#include "strew/plan.h"

namespace strew {

/// The value field that an attribute uses, by the rules of AttributeProto.type; kUndefined and an error where
/// they contradict each other.
AttributeKind attribute_kind(const AttributeProto& attribute, std::int64_t ir_version, std::vector<Error>& errors);

/// The attributes of a node as the model has them, without those that are wrong.
NodeAttributes read_attributes(const OperatorVersion& op, std::span<const AttributeProto> attributes,
                               std::int64_t ir_version, std::vector<Error>& errors);

/// Attribute names, kinds and strings against the version: the parameters of a call.
CallParams resolve_attributes(const OperatorVersion& op, const NodeAttributes& attributes,
                              std::vector<Error>& errors);

}  // namespace strew
