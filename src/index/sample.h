// What some of many index values say of all.
#pragma once

#include <optional>

#include "index/check.h"
#include "strew/view.h"

namespace strew {

/// The order of dense values, of tuples that of their first components.
IndexOrder sample_order(const TensorView& indices, bool tuples);

/// The facts of values from all over; nothing where one of them is bad.
std::optional<IndexStatistics> sample_facts(const TensorView& indices, const IndexTarget& target);

/// False if the first values differ.
bool may_have_constant_rows(const TensorView& indices);

}  // namespace strew
