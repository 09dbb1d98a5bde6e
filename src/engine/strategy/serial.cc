// One task.
#include "engine/strategy/cost.h"
#include "engine/strategy/strategies.h"

namespace strew {

Verdict consider_serial(const ChooseInput& input, const CallCost& call) {
  const std::string_view reason = reason_to_stay_serial(input);
  const double walk = call.serial_walk_ns();
  return {Choice{}, {walk, walk}, reason.empty() ? "no division is faster" : reason};
}

void run_serial(const Work& work, const Choice&, Executor&) { run_all(work); }

}  // namespace strew
