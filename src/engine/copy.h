// The copy of data that a functional scatter starts with.
#pragma once

#include "core/parallel.h"
#include "strew/view.h"

namespace strew {

/// Copies data into an output of the same type and shape. One value that stands for all of them (a view whose
/// strides are 0) is written as fast as memory is filled.
void copy_data(const TensorView& data, const MutableTensorView& output, LazyExecutor executor);

}  // namespace strew
