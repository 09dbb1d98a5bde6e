// Schedule: what a call will do, as a value. `execute` obeys it and `explain` prints it.
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
    kSmall,  ///< engine/small.h does the call at once: nothing below counts
    kWalk,   ///< a strategy walks over positions
  };

  Schedule() noexcept {}  // the geometry stays as it is, which is large

  Path path = Path::kWalk;
  bool copies_rows = false;        ///< rows are copied first, to where they are dense
  bool reads_once = false;         ///< index values are checked while they are used, not before
  bool by_rules = false;           ///< values outside their axis become offsets as the rules say
  bool fills = false;              ///< what they choose is filled afterwards
  bool drops = false;              ///< their updates are left out
  std::int64_t scratch_bytes = 0;  ///< all that the call works in
  Kernel lookup = nullptr;         ///< gathers from a copy of data in registers
  std::optional<FoldLayout> fold;  ///< a Fold takes the place of the kernel
  Indices indices;                 ///< what is known of them
  Geometry geometry;
  Choice choice;
};

/// What a schedule may say: less once execute found that it does not do.
struct Allowed {
  bool small = true;  ///< Path::kSmall
  bool copies_rows = true;
  bool reads_once = true;
};

/// The schedule of a call whose operands were checked. Checks index values, but for those that are checked while
/// they are used, and rejects bad ones; kUnsupported where a forced strategy does not apply.
Result<Schedule> make_schedule(const Call& call, const Allowed& allowed);

/// Turns its index values into offsets. `outside` becomes true once one that is checked while it is used is bad.
IndexResolver resolver_of(const Call& call, const Schedule& schedule, std::atomic<bool>* any_out_of_bounds);

/// What the choice of a strategy sees of a call; it refers to `geometry`.
ChooseInput choose_input(const Call& call, const Geometry& geometry, const Indices& indices);

}  // namespace strew
