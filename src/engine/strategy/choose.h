// Choosing how a call is cut into tasks. Pure: from geometry, facts and a thread count to a strategy.
#pragma once

#include <vector>

#include "engine/strategy/choice.h"
#include "strew/error.h"
#include "strew/explain.h"

namespace strew {

/// What each strategy says of the call, where `choice` is what `choose_strategy` said.
std::vector<Considered> consider_all(const ChooseInput& input, const Choice& choice);

/// kUnsupported, with the reason, where a forced strategy would not keep the bits or has nothing to divide.
Result<Choice> choose_strategy(const ChooseInput& input);

}  // namespace strew
