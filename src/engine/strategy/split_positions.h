// Tasks that own parts of an axis, or of the rows, that no index value moves.
#pragma once

#include "engine/strategy/choice.h"
#include "engine/traversal/tasks.h"

namespace strew {

Verdict consider_split_positions(const ChooseInput& input, const CallCost& whole);
void run_split_positions(const Work& work, const Choice& choice, Executor& executor);

}  // namespace strew
