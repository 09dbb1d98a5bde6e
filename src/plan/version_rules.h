// Checks the inputs, types and attributes of a call against an operator version. Shapes are checked by
// `make_plan` and by shape inference. Errors lack the node's name, which the caller prepends.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strew/export.h"
#include "strew/operators.h"

namespace strew {

STREW_API_BEGIN
/// Returns a name such as "ScatterND-16".
std::string versioned_name(const OperatorVersion& op);

/// Returns the entry of the operator table with the name and number of `op`; nullptr if there is none.
const OperatorVersion* table_entry(const OperatorVersion& op) noexcept;

/// Rejects surplus inputs and missing required inputs. `present[i]`: the node has input i.
void check_inputs(const OperatorVersion& op, const std::vector<bool>& present, std::vector<Error>& errors);

/// Rejects types that the version does not accept, and updates whose type is not that of data. Unknown types pass.
void check_types(const OperatorVersion& op, std::span<const std::optional<DType>> types,
                 std::vector<Error>& errors);

/// Returns the attribute with this name. If the version does not have it, adds an error and returns nullptr.
const AttributeInfo* recognized(const OperatorVersion& op, std::string_view name, std::vector<Error>& errors);

/// Rejects a string that is not legal for the attribute of this version.
void check_word(const OperatorVersion& op, const AttributeInfo& info, std::string_view value,
                std::vector<Error>& errors);
STREW_API_END

/// Checks the types and parameters of a call whose `version` is not 0.
Status check_version(const CallParams& params, const TensorSpec& data, const std::optional<TensorSpec>& indices,
                     const std::optional<TensorSpec>& updates);

}  // namespace strew
