// A scatter of single elements whose updates are first sorted into blocks of the destination, so that each block
// is updated in the cache.
#pragma once

#include "engine/strategy/choice.h"
#include "engine/traversal/tasks.h"

namespace strew {

Verdict consider_partition(const ChooseInput& input, const CallCost& call);
void run_partition(const Work& work, const Choice& choice, Executor& executor);

}  // namespace strew
