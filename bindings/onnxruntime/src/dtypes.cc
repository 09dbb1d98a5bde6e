// Converts element types between ONNX Runtime and Strew.
#include "dtypes.h"

namespace strew::ort {

ONNXTensorElementDataType element_type_of(DType dtype) noexcept {
  return static_cast<ONNXTensorElementDataType>(dtype_info(dtype).onnxruntime);
}

std::optional<DType> dtype_of_element(ONNXTensorElementDataType type) noexcept {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    if (element_type_of(static_cast<DType>(number)) == type) return static_cast<DType>(number);
  }
  return std::nullopt;
}

}  // namespace strew::ort
