// The loop that all strategies share: resolves blocks of positions to offsets, prefetches, and calls the kernel.
// Throws only if a string kernel throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/parallel.h"
#include "engine/geometry/geometry.h"
#include "index/resolve.h"
#include "kernel/kernel.h"

namespace strew {

class Fold;
class TakenData;

/// The prefetches of a walk over positions, planned once for a call.
struct PrefetchPlan {
  std::int64_t distance_positions = 0;  ///< prefetch distance of data, in positions; 0: none
  std::int64_t bytes = 1;               ///< prefetched bytes per position
  /// Size of a part in elements; 0: no prefetches of parts. A part is the data that the index values of one run
  /// along the innermost loop axis can address. While a part is in use, the next part is prefetched as a whole,
  /// and `distance_positions` is 0.
  std::int64_t part = 0;
  /// Prefetches the next index values. If rows are divided among tasks, also prefetches the next pieces of updates
  /// or output rows.
  bool indices = false;
};

/// The arguments that all tasks of one call share.
struct Work {
  const Geometry& geometry;
  const IndexResolver& resolver;
  Kernel kernel;
  bool is_scatter;
  void* target;        ///< the output
  const void* source;  ///< data of a gather, updates of a scatter
  PrefetchPlan prefetch;
  bool non_temporal;
  std::int64_t tile_columns = 0;            ///< Choice::tile_columns
  std::byte* scratch = nullptr;             ///< Choice::scratch_bytes, aligned to cache lines
  const TakenData* copied = nullptr;        ///< if Choice::copies_data: the data to copy
  std::int64_t copied_count = 0;            ///< number of elements to copy
  std::span<const std::int64_t> cuts = {};  ///< if Choice::at_cuts: IndexStatistics::cuts
  bool drops = false;                       ///< skips positions that resolve to kDroppedOffset
  const Fold* fold = nullptr;               ///< if set, called in place of the kernel
};

/// Moves or combines rows as a Kernel does; `target` is an address in the output.
void apply_rows(const Work& work, void* target, const void* source, const std::int64_t* target_offset,
                const std::int64_t* source_offset, std::int64_t count);

/// Runs a range of positions in row-major order.
void run_positions(const Work& work, Range positions);

/// Runs all positions, in tiles if Work::tile_columns is not 0.
void run_all(const Work& work);

/// Runs the positions whose coordinate on a loop axis is in `part`, or, for kRowAxis, that part of each row. For a
/// scatter along a loop axis, Work::target starts at coordinate `origin` of the axis.
void run_part(const Work& work, std::int64_t axis, Range part, std::int64_t origin);

}  // namespace strew
