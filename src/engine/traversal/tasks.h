// What strategies are made of: a walk over some positions that drives a kernel over blocks of offsets. Cannot
// fail.
#pragma once

#include <span>

#include "core/parallel.h"
#include "engine/geometry/geometry.h"
#include "engine/traversal/prefetch_plan.h"
#include "index/resolve.h"
#include "kernel/kernel.h"
#include "strew/executor.h"

namespace strew {

class Fold;
class TakenData;

/// What the tasks of one call have in common. All index values have been checked.
struct Work {
  const Geometry& geometry;
  const IndexResolver& resolver;
  Kernel kernel;
  bool is_scatter;
  void* target;        ///< the output
  const void* source;  ///< data of a gather, updates of a scatter
  PrefetchPlan prefetch;
  bool non_temporal;
  std::int64_t tile = 0;                    ///< Choice::tile
  std::byte* scratch = nullptr;             ///< Choice::scratch_bytes, aligned to cache lines
  const TakenData* copied = nullptr;        ///< Choice::copies_data: the data to copy
  std::int64_t copied_count = 0;            ///< elements of it
  std::span<const std::int64_t> cuts = {};  ///< Choice::at_cuts
  bool drops = false;                       ///< positions that resolve to kDroppedOffset are left out
  const Fold* fold = nullptr;               ///< does the work of the kernel, where there is one
};

/// Moves or combines some rows as a Kernel does; `target` is an address in the output.
void apply_rows(const Work& work, void* target, const void* source, const std::int64_t* target_offset,
                const std::int64_t* source_offset, std::int64_t count);

/// Runs some of all positions in row-major order. Throws only what the kernel of strings throws.
void run_positions(const Work& work, Range positions);

/// Runs all positions, as Work::tile says.
void run_all(const Work& work);

/// Runs the positions whose coordinate on a loop axis (or in the row) is in `part`. `target` of a scatter along a
/// loop axis begins at coordinate `origin`.
void run_part(const Work& work, std::int64_t axis, Range part, std::int64_t origin);

}  // namespace strew
