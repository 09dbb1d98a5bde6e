// Divides a call over sorted edges into tasks, and chooses its prefetch distance.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "graph/edge_lists.h"

namespace strew {

/// Work of one task: a range of targets and a range of columns.
struct EdgePiece {
  Range targets;
  Range columns;
};

/// Splits targets into tasks of equal work: 1 for each edge and each target. If `by_columns`, splits a target with
/// more work than a task along its columns. Rows have `row` elements of `width` bytes.
std::vector<EdgePiece> cut_edges(const SortedEdges& edges, std::int64_t row, std::int64_t width,
                                 std::int64_t threads, bool by_columns = true);

/// Returns the prefetch distance of source rows in edges; 0 if `rows` rows of `row_bytes` fit L2.
std::int64_t edges_ahead(std::int64_t rows, std::int64_t row_bytes) noexcept;

}  // namespace strew
