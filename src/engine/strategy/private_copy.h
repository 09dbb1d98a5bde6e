// Scatters into private copies of the data.
#pragma once

#include "engine/strategy/choice.h"
#include "engine/traversal/tasks.h"

namespace strew {

Verdict consider_private_copy(const ChooseInput& input, const CallCost& call);
void run_private_copy(const Work& work, const Choice& choice, Executor& executor);

}  // namespace strew
