// The copy of data that a functional scatter starts with.
#pragma once

#include "core/parallel.h"
#include "strew/view.h"

namespace strew {

/// Copies data into an output of the same type and shape.
void copy_data(const TensorView& data, const MutableTensorView& output, LazyExecutor executor);

}  // namespace strew
