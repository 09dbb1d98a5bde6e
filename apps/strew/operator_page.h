// The reference page of one operator version, and the changes between versions, from the table of operators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strew/operators.h"

namespace strew::app {

/// Returns the names of types, such as "float32".
std::vector<std::string> type_names(const std::vector<DType>& types);

/// Returns all versions of an operator in ascending order; kInvalidArgument for an unknown name.
Result<std::vector<const OperatorVersion*>> find_versions(const std::string& op_type);

/// Returns the table of operators as JSON: every version, and the parameters of Strew's functions.
std::string table_json();

/// Returns the last opset whose models use this version.
std::int64_t last_opset(const OperatorVersion& op);

/// Returns the page of a version: inputs, output, attributes, types, and Strew's extensions.
std::string page_text(const OperatorVersion& op);

struct Change {
  std::int64_t version = 0;
  std::vector<std::string> texts;  ///< "reduction also takes max, min", ...
};

/// Returns how `now` differs from `before`, the previous version, in at least one text.
Change change_between(const OperatorVersion& before, const OperatorVersion& now);

/// Returns one change for each version that is newer than opset `from`.
std::vector<Change> changes_since(const std::vector<const OperatorVersion*>& versions, std::int64_t from);

std::string changes_text(const std::string& op_type, std::int64_t from, const std::vector<Change>& changes);

}  // namespace strew::app
