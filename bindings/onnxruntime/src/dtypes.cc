// Element types: ONNX Runtime's numbers and Strew's.
#include "dtypes.h"

namespace strew::ort {
namespace {

// In the numbers of the interface, whose newer names the header of its first version lacks.
constexpr int kLastCommon = 23;
constexpr int kUInt2 = 24;
constexpr int kInt2 = 25;
constexpr int kFloat8E8M0 = 26;

}  // namespace

ONNXTensorElementDataType element_type_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::kFloat8E8M0:
      return static_cast<ONNXTensorElementDataType>(kFloat8E8M0);
    case DType::kUInt2:
      return static_cast<ONNXTensorElementDataType>(kUInt2);
    case DType::kInt2:
      return static_cast<ONNXTensorElementDataType>(kInt2);
    default:
      return static_cast<ONNXTensorElementDataType>(dtype);
  }
}

std::optional<DType> dtype_of_element(ONNXTensorElementDataType type) noexcept {
  switch (static_cast<int>(type)) {
    case kUInt2:
      return DType::kUInt2;
    case kInt2:
      return DType::kInt2;
    case kFloat8E8M0:
      return DType::kFloat8E8M0;
    default:
      return static_cast<int>(type) > kLastCommon ? std::nullopt : dtype_from_onnx(static_cast<int>(type));
  }
}

}  // namespace strew::ort
