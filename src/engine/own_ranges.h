// A scatter whose tasks own ranges of the destination: each reads all indices and applies its own updates in
// order.
#pragma once

#include "engine/choose.h"
#include "engine/tasks.h"

namespace strew {

Verdict consider_own_ranges(const ChooseInput& input);
void run_own_ranges(const Work& work, const Choice& choice, Executor& executor);

}  // namespace strew
