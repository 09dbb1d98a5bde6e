// Estimates the properties of many index values from a sample.
#pragma once

#include <optional>

#include "index/check.h"
#include "strew/view.h"

namespace strew {

/// Returns the order of dense values; of tuples, the order of their first components.
IndexOrder sample_order(const TensorView& indices, bool tuples);

/// Returns the facts of evenly drawn values; nothing if one of them is bad.
std::optional<IndexStatistics> sample_facts(const TensorView& indices, const IndexTarget& target);

/// Returns false if the first values differ.
bool may_have_constant_rows(const TensorView& indices);

}  // namespace strew
