// Compares tensors bit by bit; the message names the first difference.
#pragma once

#include <gtest/gtest.h>

#include "strew/view.h"

namespace strew::support {

/// Success if type, shape and the bits of every element are equal. NaNs with different bits differ.
testing::AssertionResult same_bits(const TensorView& expected, const TensorView& actual);

}  // namespace strew::support
