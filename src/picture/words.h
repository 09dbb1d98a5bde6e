// The texts of a picture: attributes, formulas of shapes and values, notes, and a description.
#pragma once

#include <string>
#include <vector>

#include "strew/picture.h"
#include "strew/plan.h"

namespace strew::picture {
/// Returns text such as "axis=1, reduction=add": the axis, the mode, and attributes that differ from their
/// defaults.
std::string attributes_text(const Plan& plan);

/// Returns the groups of two or more arrows that point to the same slice of a scatter's output, sorted by each
/// group's first arrow.
std::vector<std::vector<std::size_t>> collisions(const Trace& trace);

/// Returns sentences about collisions, indices out of bounds and omitted arrows. `drawn`: number of drawn arrows.
std::vector<std::string> notes(const Plan& plan, const Trace& trace, std::size_t drawn);

/// Returns a description for screen readers.
std::string description(const Plan& plan, const Trace& trace);

/// Wraps a text into lines of at most `most` characters.
std::vector<std::string> wrapped(const std::string& text, std::size_t most);

/// Returns a formula such as "updates.shape = indices.shape[:-1] + data.shape[k:] = [3] + [2] = [3, 2]".
std::string shape_rule(const Plan& plan);

/// Returns text such as "k = indices.shape[-1] = 1" if indices are tuples; else "".
std::string tuple_rule(const Plan& plan);

/// Returns a formula such as "output[tuple(indices[i])] += updates[i]".
std::string value_rule(const Plan& plan);

}  // namespace strew::picture
