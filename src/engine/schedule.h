// Schedule: all decisions about a call, as a value. `run` executes it and `explain` prints it. Indices: the facts
// about index values on which the decisions depend.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/geometry/geometry.h"
#include "engine/operands.h"
#include "engine/reduce/fold.h"
#include "engine/strategy/strategies.h"
#include "index/check.h"
#include "kernel/kernel.h"
#include "strew/explain.h"

namespace strew {

struct Indices {
  const void* values = nullptr;
  DType dtype = DType::kInt64;
  Shape strides;
  IndexStatistics facts;  ///< of all values; if unchecked, the bounds that a check would enforce
  bool checked = false;   ///< false: execution checks the values
  std::optional<IndexStatistics> likely = {};  ///< facts of a sample of unchecked values
  std::vector<std::int64_t> written_out = {};  ///< the expanded positions of a circular TensorScatter
  IndexOrder order = {};                       ///< order in a sample; unset if there are few values
};

/// Returns IndexTarget::segments for the check of a call. For a gather, returns 1: no cuts. For a scatter with few
/// updates, returns 1 unless a strategy is `forced`.
std::int64_t choose_segment_count(const Plan& plan, bool forced = false) noexcept;

/// Returns the index values of a call, with a sample of their order. Expands and checks the start positions of a
/// circular TensorScatter.
Result<Indices> prepare_indices(const Call& call);

/// Checks every index value, unless this function or the caller (Promises::checked_indices) did so before.
Status check_index_values(const Call& call, Indices& indices);

/// True if the rules map every value to a position, unless the axis is empty.
bool accepts_all_values(const IndexRules& rules) noexcept;

/// True if execution may check index values, so that they are read once. The call must have many values, must not
/// need facts from a check, and must not index an empty axis. It must also accept all values, copy data to a
/// separate output, or be allowed to leave the output partly written after an error.
bool may_stay_unchecked(const Call& call, const Indices& indices);

/// Sets Indices::facts to the bounds of the axis, and Indices::likely to the facts of a sample, without a check.
void sample_index_values(const Call& call, Indices& indices);

struct Schedule {
  Schedule() noexcept {}  // leaves the large geometry uninitialised

  bool copies_rows = false;        ///< rows are copied to dense memory first
  bool reads_once = false;         ///< index values are checked during execution, not before
  bool by_rules = false;           ///< the rules map values outside their axis to offsets
  bool fills = false;              ///< positions of out-of-bounds values are filled afterwards
  bool drops = false;              ///< updates of out-of-bounds values are dropped
  std::int64_t scratch_bytes = 0;  ///< scratch memory of the whole call
  Kernel lookup = nullptr;         ///< a kernel that gathers from a copy of data in registers
  std::optional<FoldLayout> fold;  ///< set if a Fold is called in place of a kernel
  Indices indices;                 ///< facts about index values
  Geometry geometry;
  Choice choice;
  std::vector<Considered> considered;  ///< the verdicts of all strategies, if Allowed::keeps_verdicts
};

/// Optional steps that are still allowed after failed attempts (see run_scheduled).
struct Allowed {
  bool copies_rows = true;
  bool reads_once = true;
  bool keeps_verdicts = false;  ///< stores verdicts in Schedule::considered, for `explain`
};

/// Makes the schedule of a call whose operands were checked. Checks index values, unless execution checks them,
/// and rejects bad values. Returns kUnsupported if a forced strategy does not apply.
Result<Schedule> make_schedule(const Call& call, const Allowed& allowed);

/// Returns the resolver of the schedule's index values. If execution checks the values, the resolver sets
/// `any_out_of_bounds` when it finds a bad one.
IndexResolver make_resolver(const Call& call, const Schedule& schedule, std::atomic<bool>* any_out_of_bounds);

}  // namespace strew
