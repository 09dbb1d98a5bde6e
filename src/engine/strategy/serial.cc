// One task.
#include "engine/strategy/serial.h"

#include "engine/strategy/sharing.h"

namespace strew {

Verdict consider_serial(const ChooseInput& input) {
  const std::string_view reason = reason_to_stay_serial(input);
  return {Choice{}, true, reason.empty() ? "nothing to divide" : reason};
}

void run_serial(const Work& work, const Choice&, Executor&) { run_all(work); }

}  // namespace strew
