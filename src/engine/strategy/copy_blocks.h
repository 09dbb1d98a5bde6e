// A functional scatter that copies data block by block and updates each block in the cache on its way.
#pragma once

#include "engine/strategy/choice.h"
#include "engine/traversal/tasks.h"

namespace strew {

/// The blocks are those of the outermost loop axis along which data move, by more than all that lies within.
Verdict consider_copy_blocks(const ChooseInput& input, const CallCost& whole);
void run_copy_blocks(const Work& work, const Choice& choice, Executor& executor);

}  // namespace strew
