// How a call over sorted edges is divided into tasks, and its prefetch distance.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "graph/edge_lists.h"

namespace strew {

/// Work of one task: rows of targets, in some columns.
struct EdgePiece {
  Range targets;
  Range columns;
};

/// Splits targets into tasks of equal work, counting 1 for each edge and each target. If `by_columns`, a target
/// with more work than a task is split along its columns. Rows have `row` elements of `width` bytes.
std::vector<EdgePiece> cut_edges(const SortedEdges& edges, std::int64_t row, std::int64_t width,
                                 std::int64_t threads, bool by_columns = true);

/// Prefetch distance in edges between the prefetch of a source row and its use; 0 if `rows` of them fit L2.
std::int64_t edges_ahead(std::int64_t rows, std::int64_t row_bytes) noexcept;

}  // namespace strew
