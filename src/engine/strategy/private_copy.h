// Scatter into small data: one task updates a copy of them in the cache.
#pragma once

#include "engine/strategy/choice.h"
#include "engine/traversal/tasks.h"

namespace strew {

Verdict consider_private_copy(const ChooseInput& input, const CallCost& call);
void run_private_copy(const Work& work, const Choice& choice, Executor& executor);

}  // namespace strew
