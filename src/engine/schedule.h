// Schedule: all decisions about a call, as a value, which `execute` carries out and `explain` prints.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/geometry/geometry.h"
#include "engine/indices.h"
#include "engine/operands.h"
#include "engine/reduce/fold.h"
#include "engine/strategy/choice.h"
#include "kernel/kernel.h"
#include "strew/explain.h"

namespace strew {

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
