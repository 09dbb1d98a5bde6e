// Gathers rows along edges and reduces them in one pass: products of sparse matrices, sums of bags.
#pragma once

#include <cstdint>

#include "strew/edges.h"
#include "strew/gather_scatter.h"
#include "tensors.h"

namespace strew::aten {

/// Reduces into a new matrix with a row for each target. Sets `winners`, if given, to an int64 matrix.
Outcome fold(Tensor& result, const Tensor& data, const Edges& edges, const GatherScatterOperands& operands,
             Reduction reduction, Tensor* winners = nullptr);

Options options_for(std::int64_t elements);

/// True if an index in a contiguous tensor is negative. Strew would count it from the end, but torch rejects it.
bool has_negative(const Tensor& indices);

/// True if all elements of a contiguous tensor of floats are 1.
bool all_ones(const Tensor& values);
bool has_nan(const Tensor& values);
bool has_nan_or_infinity(const Tensor& values);

}  // namespace strew::aten
