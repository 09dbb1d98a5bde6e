// The reference page of one operator version, and what changed between two, from the table of operators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strew/operators.h"

namespace strew::app {

/// "float32", ...
std::vector<std::string> type_names(const std::vector<DType>& types);

/// All versions of an operator, ascending. kInvalidArgument for a name that none has.
Result<std::vector<const OperatorVersion*>> versions_of(const std::string& op_type);

/// The shape of the output, and of the operand whose shape follows from it, in Python's notation.
std::string_view shape_rule(OpKind kind);

/// Inputs, output, attributes and types of a version, and what Strew has beyond ONNX.
std::string page_text(const OperatorVersion& op);

/// What one version has that the one before has not.
struct Change {
  std::int64_t version = 0;
  std::vector<std::string> texts;  ///< "reduction takes max and min", ...
};

/// What `now` has that `before`, the version before it, has not. Never without a text.
Change change_between(const OperatorVersion& before, const OperatorVersion& now);

/// The changes after the version that opset `from` uses, one for each later version.
std::vector<Change> changes_since(const std::vector<const OperatorVersion*>& versions, std::int64_t from);

std::string changes_text(const std::string& op_type, std::int64_t from, const std::vector<Change>& changes);

}  // namespace strew::app
