// Index tensors of edges as lists of rows, checked.
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

/// That it is of an integer type, of one axis; what the length of that is, in words.
Status check_index(std::string_view name, const TensorView& view, std::string_view length = "edges");
Status check_size(std::string_view name, std::int64_t size);

/// The row that each value chooses of `size`, -1 for one that is dropped; or an error about the first that is out
/// of bounds. `of`: these rows in words, such as "10 source rows".
Status read_index(std::string_view name, std::string of, const TensorView& view, std::int64_t size,
                  const IndexRules& rules, IndexBuffer& rows, std::int64_t count, Executor& executor);

/// Checks all that make_edges does. Throws std::bad_alloc.
Result<PairedEdges> read_edges(const TensorView& gather_index, const TensorView& scatter_index,
                               std::int64_t source_size, std::int64_t target_size, const IndexRules& rules,
                               Executor& executor);

}  // namespace strew
