// How a call over sorted edges is cut into tasks, and how far ahead it prefetches.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "graph/edge_lists.h"

namespace strew {

/// What one task does: rows of targets, along some columns.
struct EdgePiece {
  Range targets;
  Range columns;
};

/// Targets cut where the work, one for each edge and each target, is the same; a target that has more of it than a
/// task is cut along its columns, where `by_columns`. Rows have `row` elements of `width` bytes.
std::vector<EdgePiece> cut_edges(const SortedEdges& edges, std::int64_t row, std::int64_t width,
                                 std::int64_t threads, bool by_columns = true);

/// Edges between a prefetch of a source row and its use; 0 where `rows` of them lie in L1.
std::int64_t edges_ahead(std::int64_t rows, std::int64_t row_bytes) noexcept;

}  // namespace strew
