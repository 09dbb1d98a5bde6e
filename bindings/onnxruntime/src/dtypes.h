// Converts element types between ONNX Runtime and Strew.
#pragma once

#include <optional>

#include "api.h"
#include "strew/dtype.h"

namespace strew::ort {

/// The numbers agree up to float4e2m1 and then differ. UNDEFINED if ONNX Runtime does not have the type.
ONNXTensorElementDataType element_type_of(DType dtype) noexcept;
std::optional<DType> dtype_of_element(ONNXTensorElementDataType type) noexcept;

}  // namespace strew::ort
