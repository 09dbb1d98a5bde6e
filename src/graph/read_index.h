// Checks the index tensors of edges and converts them to lists of rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/parallel.h"
#include "graph/edge_lists.h"
#include "strew/error.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew {

/// Checks for an integer type and one axis; `length` names the extent of that axis in messages.
Status check_index(std::string_view name, const TensorView& view, std::string_view length = "edges");
Status check_size(std::string_view name, std::int64_t size);

/// Writes the row that each value indexes among `size` rows, or -1 if it is dropped. Fails for the first value out
/// of bounds. `of` names the rows in messages: "10 source rows".
Status read_index(std::string_view name, std::string of, const TensorView& view, std::int64_t size,
                  const IndexRules& rules, IndexBuffer& rows, std::int64_t count, Executor& executor);

/// Runs all checks of make_edges, and returns the edges in the given order. Throws std::bad_alloc.
Result<PairedEdges> read_edges(const TensorView& gather_index, const TensorView& scatter_index,
                               std::int64_t source_size, std::int64_t target_size, const IndexRules& rules,
                               Executor& executor);

}  // namespace strew
