// Compares a result with the expected one.
#pragma once

#include <optional>
#include <string>

#include "strew/tensor.h"

namespace strew::app {

/// Tolerance for floating-point and complex values: |got - expected| <= atol + rtol * |expected|, as in ONNX's
/// backend tests. If `exact`, values must have the same bits, except that any NaN equals any NaN.
struct Tolerance {
  double rtol = 1e-3;
  double atol = 1e-7;
  bool exact = false;
};

/// Describes in one line how the types, shapes or values differ; returns nullopt if the tensors agree. For values,
/// the line has the number of differences, the first position, both values there, and the largest errors.
/// Integers, booleans, strings and infinities must be equal; NaN equals NaN.
std::optional<std::string> difference(const Tensor& got, const Tensor& expected, const Tolerance& tolerance);

}  // namespace strew::app
