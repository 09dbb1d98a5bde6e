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
  const void* const data = *dtype == DType::kString ? nullptr : fetch<const void*>(api.ort.GetTensorData, value);
  return {data, *dtype, std::span(dims, rank)};
}

Shape shape_in(const Tensor& tensor) {
  return Shape(std::span(static_cast<const std::int64_t*>(tensor.data),
                         static_cast<std::size_t>(element_count(Shape(tensor.dims)))));
}

const OrtValue* input_value(const Api& api, const OrtKernelContext* context, std::size_t i) {
  return fetch<const OrtValue*>(api.ort.KernelContext_GetInput, context, i);
}

OrtValue* output_value(const Api& api, OrtKernelContext* context, const Shape& shape) {
  const auto rank = static_cast<std::size_t>(shape.rank());
  return fetch<OrtValue*>(api.ort.KernelContext_GetOutput, context, std::size_t{0}, shape.data(), rank);
}

void* address_of(const Api& api, OrtValue* value) { return fetch<void*>(api.ort.GetTensorMutableData, value); }

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
  const auto size = fetch<std::size_t>(api.ort.GetStringTensorDataLength, value);
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

Shape broadcast(std::string_view op, const Shape& from, const Shape& wanted) {
  const std::int64_t rank = std::max(from.rank(), wanted.rank());
  Shape shape;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const std::int64_t in_from = axis - rank + from.rank();
    const std::int64_t in_wanted = axis - rank + wanted.rank();
    const std::int64_t a = in_from < 0 ? 1 : from[in_from];
    const std::int64_t b = in_wanted < 0 ? 1 : wanted[in_wanted];
    if (b < 0 || (a != b && a != 1 && b != 1)) {
      throw Refusal{ORT_INVALID_ARGUMENT, std::string(op) + ": input of shape " + to_string(from) +
                                              " does not broadcast to shape " + to_string(wanted)};
    }
    shape.push_back(a == 1 ? b : a);
  }
  return shape;
}

Shape broadcast_strides(const Shape& from, const Shape& shape) {
  const Shape dense = dense_strides(from);
  Shape strides;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t in_from = axis - shape.rank() + from.rank();
    strides.push_back(in_from < 0 || from[in_from] == 1 ? 0 : dense[in_from]);
  }
  return strides;
}

}  // namespace strew::ort
