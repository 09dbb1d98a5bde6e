// Values that an If hands on as they are, where the graph proves which branch runs.
#pragma once

#include <vector>

#include "node.h"

namespace strew::ort {

/// The value that this output of an If is a copy of, in the If's own graph; nullptr for any other value. PyTorch's
/// exporter of scatter_reduce makes such an If around all three operands: where the data have no axes, it gives
/// one to each of them.
const OrtValueInfo* copied_by_branch(const Api& api, const OrtValueInfo* value);

/// The outputs of the If that are copies of a value around it; nothing where the branch that runs does anything
/// else with the value, or where it is not known which one runs.
std::vector<const OrtValueInfo*> copies_by_branch(const Api& api, const Node& node, std::string_view value);

}  // namespace strew::ort
