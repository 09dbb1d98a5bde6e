#include "tensors.h"

#include <algorithm>

namespace strew::ort {

TensorView Tensor::view() const {
  if (cut_from.empty()) return {data, dtype, Shape(dims)};
  return {data, dtype, Shape(dims), dense_strides(Shape(cut_from))};
}

Tensor read_tensor(const Api& api, const OrtValue* value) {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  const std::int64_t* dims = nullptr;
  std::size_t rank = 0;
  check(api.ort.GetTensorElementTypeAndShapeDataReference(value, &type, &dims, &rank));
  const std::optional<DType> dtype = dtype_of_element(type);
  if (!dtype) throw Refusal{ORT_NOT_IMPLEMENTED, "strew: element type " + std::to_string(type) + " is not known"};
  const void* data = nullptr;
  if (*dtype != DType::kString) check(api.ort.GetTensorData(value, &data));
  return {data, *dtype, std::span(dims, rank)};
}

const OrtValue* input_value(const Api& api, const OrtKernelContext* context, std::size_t i) {
  const OrtValue* value = nullptr;
  check(api.ort.KernelContext_GetInput(context, i, &value));
  return value;
}

Tensor cut_updates(const Tensor& whole, std::span<const std::int64_t> indices, std::vector<std::int64_t>& dims) {
  if (whole.dims.size() != indices.size() || std::ranges::equal(whole.dims, indices)) return whole;
  for (std::size_t axis = 0; axis < whole.dims.size(); ++axis) {
    dims.push_back(std::min(whole.dims[axis], indices[axis]));
  }
  return {whole.data, whole.dtype, dims, whole.dims};
}

std::vector<std::string> read_strings(const Api& api, const OrtValue* value) {
  const auto count = static_cast<std::size_t>(element_count(Shape(read_tensor(api, value).dims)));
  std::vector<std::string> strings(count);
  if (count == 0) return strings;
  std::size_t size = 0;
  check(api.ort.GetStringTensorDataLength(value, &size));
  std::string text(size, '\0');
  std::vector<std::size_t> begins(count);
  check(api.ort.GetStringTensorContent(value, text.data(), size, begins.data(), count));
  begins.push_back(size);
  for (std::size_t i = 0; i < count; ++i) strings[i].assign(text, begins[i], begins[i + 1] - begins[i]);
  return strings;
}

void write_strings(const Api& api, const std::vector<std::string>& strings, OrtValue* value) {
  for (std::size_t i = 0; i < strings.size(); ++i) {
    char* buffer = nullptr;
    check(api.ort.GetResizedStringTensorElementBuffer(value, i, strings[i].size(), &buffer));
    std::ranges::copy(strings[i], buffer);
  }
}

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
