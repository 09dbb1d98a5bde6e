// The texts of a picture: title, rule with numbers, and notes.
#pragma once

#include <string>
#include <vector>

#include "strew/picture.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::picture {

/// "axis=1 reduction=add": the operator's attributes that differ from their defaults.
std::string attributes_text(const Plan& plan);

/// Groups of several arrows that collide in one slice of a scatter's output, in order, keyed by the first.
std::vector<std::vector<std::size_t>> collisions(const Trace& trace);

/// Sentences on colliding arrows and on values that count from the end, are outside, or are dropped. `drawn`:
/// number of visible arrows.
std::vector<std::string> notes(const Plan& plan, const Trace& trace, std::size_t drawn);

/// A description for screen readers.
std::string description(const Plan& plan, const Trace& trace);

/// Wraps a text into lines of at most `most` characters.
std::vector<std::string> wrapped(const std::string& text, std::size_t most);

}  // namespace strew::picture
