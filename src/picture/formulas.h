// The rules of an operator as formulas.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strew/plan.h"

namespace strew::picture {

/// Returns "updates.shape = indices.shape[:-1] + data.shape[k:] = [3] + [2] = [3, 2]".
std::string shape_rule(const Plan& plan);

/// Returns "k = indices.shape[-1] = 1" if indices are tuples; else "".
std::string tuple_rule(const Plan& plan);

/// Returns "output[tuple(indices[i])] += updates[i]".
std::string value_rule(const Plan& plan);

/// Returns batch_dims of a plan with tuples.
std::int64_t batch_dims_of(const Plan& plan);

/// Returns "a, b".
std::string joined(const std::vector<std::string>& words);

}  // namespace strew::picture
