// Element types: ONNX Runtime's numbers and Strew's.
#pragma once

#include <optional>

#include "api.h"
#include "strew/dtype.h"

namespace strew::ort {

/// The two number alike up to float4e2m1 and then differ. UNDEFINED where ONNX Runtime has none.
ONNXTensorElementDataType element_type_of(DType dtype) noexcept;
std::optional<DType> dtype_of_element(ONNXTensorElementDataType type) noexcept;

}  // namespace strew::ort
