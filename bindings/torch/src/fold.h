// Rows that are gathered along edges and reduced in one pass: products of sparse matrices, sums of bags.
#pragma once

#include <cstdint>

#include "strew/edges.h"
#include "strew/gather_scatter.h"
#include "tensors.h"

namespace strew::aten {

/// The reduction into a new matrix of a row for each target of the edges. `winners`, where it is given, becomes an
/// int64 tensor of that shape.
Outcome fold(Tensor& result, const Tensor& data, const Edges& edges, const GatherScatterOperands& operands,
             Reduction reduction, Tensor* winners = nullptr);

/// Options whose executor is that of a call of so many elements.
Options options_for(std::int64_t elements);

/// Whether an index of a contiguous tensor is negative, which Strew counts from the end and torch refuses.
bool has_negative(const Tensor& indices);

/// Whether all elements of a contiguous tensor of floats are 1.
bool all_ones(const Tensor& values);
bool has_nan(const Tensor& values);
bool has_nan_or_infinity(const Tensor& values);

}  // namespace strew::aten
