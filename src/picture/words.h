// What a picture says in words: title, rule with the numbers put in, and what is easily overlooked.
#pragma once

#include <string>
#include <vector>

#include "strew/picture.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::picture {

/// "axis=1 reduction=add": the attributes that the operator has, where they say something.
std::string attributes_text(const Plan& plan);

/// The arrows that collide in one slice of a scatter's output, in their order; only where there are several. By
/// the first of them.
std::vector<std::vector<std::size_t>> collisions(const Trace& trace);

/// Sentences on arrows that collide, and on values that count from the end, are outside, or left out. `drawn`: how
/// many arrows there are to see.
std::vector<std::string> notes(const Plan& plan, const Trace& trace, std::size_t drawn);

/// For those who cannot see it.
std::string description(const Plan& plan, const Trace& trace);

/// Lines of at most `most` characters.
std::vector<std::string> wrapped(const std::string& text, std::size_t most);

}  // namespace strew::picture
