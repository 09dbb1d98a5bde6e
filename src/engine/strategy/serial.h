// One task that takes all positions in order: right for every call, and what all others are compared with.
#pragma once

#include "engine/strategy/choice.h"
#include "engine/traversal/tasks.h"

namespace strew {

Verdict consider_serial(const ChooseInput& input, const CallCost& call);
void run_serial(const Work& work, const Choice& choice, Executor& executor);

}  // namespace strew
