// Schedule: all decisions about a call, as a value, which `run` carries out and `explain` prints, and the facts
// about index values on which they depend.
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
  bool checked = false;   ///< false: they are checked during execution
  std::optional<IndexStatistics> likely = {};  ///< facts of a sample of unchecked values
  std::vector<std::int64_t> written_out = {};  ///< the expanded positions of a circular TensorScatter
  IndexOrder order = {};                       ///< order in a sample of many values
};

/// IndexTarget::segments for a check whose cuts a run may use: several only for a scatter with many updates, or if
/// `forced`.
std::int64_t choose_segment_count(const Plan& plan, bool forced = false) noexcept;

/// The index values of a call, with a sample of their order. Expands the start positions of a circular
/// TensorScatter, which checks them.
Result<Indices> prepare_indices(const Call& call);

/// Reads and checks every index value, unless that was done before or by the caller.
Status check_index_values(const Call& call, Indices& indices);

/// True if the rules map every value to a position of a non-empty axis.
bool accepts_all_values(const IndexRules& rules) noexcept;

/// True if index values may be read once, without a check before: they are many, each is used, no fact is needed
/// that only a check finds, and every axis has a position that a bad value can address.
bool may_stay_unchecked(const Call& call, const Indices& indices);

/// Takes the facts of a sample for index values that execution may check.
void sample_index_values(const Call& call, Indices& indices);

struct Schedule {
  Schedule() noexcept {}  // leaves the large geometry uninitialised

  bool copies_rows = false;        ///< rows are copied to dense memory first
  bool reads_once = false;         ///< index values are checked during execution, not before
  bool by_rules = false;           ///< the rules map values outside their axis to offsets
  bool fills = false;              ///< positions of values outside are filled afterwards
  bool drops = false;              ///< updates of values outside are dropped
  std::int64_t scratch_bytes = 0;  ///< scratch memory of the whole call
  Kernel lookup = nullptr;         ///< gathers from a copy of data in registers
  std::optional<FoldLayout> fold;  ///< a Fold replaces the kernel
  Indices indices;                 ///< facts about index values
  Geometry geometry;
  Choice choice;
  std::vector<Considered> considered;  ///< the verdicts of all strategies, if wanted
};

/// Options that are left after failed attempts (see run_scheduled), and what explain wants.
struct Allowed {
  bool copies_rows = true;
  bool reads_once = true;
  bool keeps_verdicts = false;  ///< in Schedule::considered
};

/// Makes the schedule of a call whose operands were checked. Checks index values, unless execution does, and
/// rejects bad ones. Returns kUnsupported if a forced strategy does not apply.
Result<Schedule> make_schedule(const Call& call, const Allowed& allowed);

/// Returns the resolver of its index values. `any_out_of_bounds` becomes true if execution finds a bad value.
IndexResolver make_resolver(const Call& call, const Schedule& schedule, std::atomic<bool>* any_out_of_bounds);

}  // namespace strew
