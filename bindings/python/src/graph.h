// Functions that edges.cc and graph.cc share.
#pragma once

#include "call.h"
#include "operator_call.h"
#include "strew/edges.h"

namespace strew::python {

void check_on_cpu(const char* function, const char* name, const Operand& operand);
IndexRules index_rules(const char* function, nb::handle out_of_bounds, nb::handle negative_indices);

/// Makes edges that reduce segments of rows, from the bounds of the segments.
Result<Edges> read_segments(EdgeOperands& operands, nb::handle row_start);

}  // namespace strew::python
