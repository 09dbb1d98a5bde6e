// Whether a result is the expected one.
#pragma once

#include <optional>
#include <string>

#include "strew/tensor.h"

namespace strew::app {

/// How near a floating-point or complex value must be: |got - expected| <= atol + rtol * |expected|, as in ONNX's
/// backend tests. `exact`: the same bits, except that any NaN equals any NaN.
struct Tolerance {
  double rtol = 1e-3;
  double atol = 1e-7;
  bool exact = false;
};

/// What differs, in one line: the type, the shape, or how many values with the first bad position, both values
/// there and the largest errors. Nothing where the tensors agree. Integers, booleans and strings must be equal;
/// NaN equals NaN; infinities must be equal.
std::optional<std::string> difference(const Tensor& got, const Tensor& expected, const Tolerance& tolerance);

}  // namespace strew::app
