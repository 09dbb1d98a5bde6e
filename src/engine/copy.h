// Copies data to the output of a functional scatter.
#pragma once

#include "core/parallel.h"
#include "strew/view.h"

namespace strew {

/// Copies data into an output of the same type and shape. A single broadcast value (a view with strides 0) is
/// written as a fill.
void copy_data(const TensorView& data, const MutableTensorView& output, LazyExecutor executor);

}  // namespace strew
