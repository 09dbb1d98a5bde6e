// Elements of rows with many columns, some columns at a time: packed next to each other they fit the cache, where
// a matrix whose lines hold one element of use each would not.
#pragma once

#include "engine/choose.h"
#include "engine/tasks.h"

namespace strew {

Verdict consider_pack_columns(const ChooseInput& input);
void run_pack_columns(const Work& work, const Choice& choice, Executor& executor);

}  // namespace strew
