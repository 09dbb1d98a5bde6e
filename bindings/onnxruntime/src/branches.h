// Values that an If passes on unchanged, if the graph proves which branch runs.
#pragma once

#include <vector>

#include "node.h"

namespace strew::ort {

/// Returns the value, in the If's own graph, that this output of an If is a copy of; nullptr for any other value.
/// PyTorch's exporter of scatter_reduce puts such an If around all three operands: for data of rank 0 it adds an
/// axis to each of them.
const OrtValueInfo* copied_by_branch(const Api& api, const OrtValueInfo* value);

/// Returns the outputs of the If that are copies of a surrounding value; empty if the branch that runs uses the
/// value in another way, or if it is unknown which one runs.
std::vector<const OrtValueInfo*> copies_by_branch(const Api& api, const Node& node, std::string_view value);

}  // namespace strew::ort
