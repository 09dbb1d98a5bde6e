// Finds split points by binary search in the list of starts, without a walk over all targets.
#include "graph/tasks.h"

#include <algorithm>

#include "core/arithmetic.h"
#include "core/machine.h"
#include "kernel/edge/edge_fold.h"

namespace strew {
namespace {

// Bytes per task below which waking a thread costs more than it saves.
constexpr std::int64_t kTaskBytes = 64 << 10;
constexpr std::int64_t kTasksPerThread = 8;                // so that threads end at about the same time
constexpr std::int64_t kPrefetchDistanceBytes = 32 << 10;  // a small part of any L2
constexpr std::int64_t kFewestAhead = 4;
constexpr std::int64_t kHubColumnBytes = 256;  // least bytes of a row per task if tasks share a target's edges

}  // namespace

std::vector<EdgePiece> cut_edges(const SortedEdges& edges, std::int64_t row, std::int64_t width,
                                 std::int64_t threads, bool by_columns) {
  const IndexList start = edges.start.list();
  const std::int64_t work = edges.count + edges.keys;
  const std::int64_t pieces =
      threads == 1 ? 1 : std::clamp<std::int64_t>(work * row * width / kTaskBytes, 1, threads * kTasksPerThread);
  std::vector<EdgePiece> cut;
  std::int64_t begin = 0;
  for (std::int64_t i = 1; i <= pieces && begin < edges.keys; ++i) {
    const std::int64_t most = part_of(work, pieces, i - 1).end;
    // The targets up to and including the one at which the accumulated work exceeds `most`.
    std::int64_t end = begin;
    for (std::int64_t step = edges.keys - begin; step > 0;) {
      const std::int64_t half = step / 2;
      if (start[end + half + 1] + end + half + 1 < most) {
        end += half + 1;
        step -= half + 1;
      } else {
        step = half;
      }
    }
    end = i == pieces ? edges.keys : std::min(end + 1, edges.keys);
    if (end <= begin) continue;
    const std::int64_t last = end - 1;
    const std::int64_t tiles = by_columns && start[end] - start[last] > 2 * work / pieces
                                   ? std::clamp<std::int64_t>(row * width / kHubColumnBytes, 1, threads)
                                   : 1;
    if (tiles > 1) {
      const std::int64_t lanes = kHubColumnBytes / width;
      for (std::int64_t tile = 0; tile < tiles; ++tile) {
        const Range part = part_of(div_up(row, lanes), tiles, tile);
        cut.push_back({{last, end}, {part.begin * lanes, std::min(part.end * lanes, row)}});
      }
      end = last;
    }
    if (end > begin) cut.push_back({{begin, end}, {0, row}});
    begin = last + 1;
  }
  return cut;
}

std::int64_t edges_ahead(std::int64_t rows, std::int64_t row_bytes) noexcept {
  if (rows * row_bytes <= machine().l2_bytes || row_bytes == 0) return 0;
  return std::clamp(kPrefetchDistanceBytes / row_bytes, kFewestAhead, kEdgePadding);
}

}  // namespace strew
