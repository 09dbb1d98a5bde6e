// Schedule: all decisions about a call, as a value. `execute` carries it out and `explain` prints it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "engine/geometry/geometry.h"
#include "engine/indices.h"
#include "engine/operands.h"
#include "engine/reduce/fold.h"
#include "engine/strategy/choose.h"
#include "kernel/kernel.h"

namespace strew {

struct Schedule {
  enum class Path : std::uint8_t {
    kSmall,  ///< see fast_path.h; the other members are unset
    kWalk,   ///< a strategy runs over positions
  };

  Schedule() noexcept {}  // leaves the large geometry uninitialised

  Path path = Path::kWalk;
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
};

/// Options that are left after failed attempts; see run_scheduled.
struct Allowed {
  bool small = true;  ///< Path::kSmall
  bool copies_rows = true;
  bool reads_once = true;
};

/// Makes the schedule of a call whose operands were checked. Checks index values, unless execution does, and
/// rejects bad ones. Returns kUnsupported if a forced strategy does not apply.
Result<Schedule> make_schedule(const Call& call, const Allowed& allowed);

/// Returns the resolver of its index values. `any_out_of_bounds` becomes true if execution finds a bad value.
IndexResolver resolver_of(const Call& call, const Schedule& schedule, std::atomic<bool>* any_out_of_bounds);

/// Returns the input of the choice of a strategy, which refers to `geometry`.
ChooseInput choose_input(const Call& call, const Geometry& geometry, const Indices& indices);

}  // namespace strew
