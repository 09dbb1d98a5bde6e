// Checks one node against its operator version: inputs, types, attributes. Plans and inference check shapes.
// Errors are collected without the name of the node, which the caller prepends.
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

/// Returns the value field that an attribute uses by the rules of AttributeProto.type, or kUndefined and an error
/// if they contradict each other.
AttributeKind attribute_kind(const AttributeProto& attribute, std::int64_t ir_version, std::vector<Error>& errors);

/// Reads the attributes of a node, without illegal ones.
NodeAttributes read_attributes(const OperatorVersion& op, std::span<const AttributeProto> attributes,
                               std::int64_t ir_version, std::vector<Error>& errors);

/// Checks attribute names, kinds and strings against the version, and returns the parameters of the call.
CallParams resolve_attributes(const OperatorVersion& op, const NodeAttributes& attributes,
                              std::vector<Error>& errors);

}  // namespace strew
