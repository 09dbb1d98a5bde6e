// A call against a version of its operator: inputs, types, attributes. Shapes are judged by plans and inference.
// Errors are collected, and say nothing of the node: the caller puts its name in front.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strew/operators.h"

namespace strew {

/// "ScatterND-16"
std::string versioned_name(const OperatorVersion& op);

/// The operator version of the table with the same name and number; nullptr where there is none.
const OperatorVersion* table_entry(const OperatorVersion& op) noexcept;

/// Too many inputs, or a required one that is left out. `present[i]` says whether input i is there.
void check_inputs(const OperatorVersion& op, const std::vector<bool>& present, std::vector<Error>& errors);

/// Types that the version does not take, and inputs that differ in T. Unknown types pass.
void check_types(const OperatorVersion& op, std::span<const std::optional<DType>> types,
                 std::vector<Error>& errors);

/// The attribute with this name; nullptr and an error where the version has none.
const AttributeInfo* recognized(const OperatorVersion& op, std::string_view name, std::vector<Error>& errors);

/// A word that the attribute of this version may not be.
void check_word(const OperatorVersion& op, const AttributeInfo& info, std::string_view value,
                std::vector<Error>& errors);

/// The types and parameters of a call whose `version` is not 0. Its error names the operator's function.
Status check_version(const CallParams& params, const TensorSpec& data, const std::optional<TensorSpec>& indices,
                     const std::optional<TensorSpec>& updates);

}  // namespace strew
