// Tensors and element types of ONNX Runtime.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api.h"
#include "strew/dtype.h"
#include "strew/plan.h"

namespace strew::ort {

/// A view of the memory of an OrtValue, dense unless `cut_from` is set. `data` is null for strings.
struct Tensor {
  const void* data;
  DType dtype;
  std::span<const std::int64_t> dims;
  /// Dimensions of a larger tensor, if this one is its leading part along each axis; otherwise empty.
  std::span<const std::int64_t> cut_from = {};

  TensorSpec spec() const { return {dtype, Shape(dims)}; }
  TensorView view() const;
};

Tensor read_tensor(const Api& api, const OrtValue* value);

/// Returns the elements of a dense tensor of int64 as a shape.
Shape shape_in(const Tensor& tensor);

/// Returns an input of the running node; nullptr if it is omitted.
const OrtValue* input_value(const Api& api, const OrtKernelContext* context, std::size_t i);

/// Allocates output 0 of the running node.
OrtValue* output_value(const Api& api, OrtKernelContext* context, const Shape& shape);
void* address_of(const Api& api, OrtValue* value);

/// Cuts updates to the dimensions of their indices, as a Slice would. The result may refer to `dims`.
Tensor cut_updates(const Tensor& whole, std::span<const std::int64_t> indices, std::vector<std::int64_t>& dims);

/// Copies the strings of a tensor, since ONNX Runtime may have been built with a different std::string.
std::vector<std::string> read_strings(const Api& api, const OrtValue* value);
void write_strings(const Api& api, const std::vector<std::string>& strings, OrtValue* value);

/// Returns ONNX Runtime's number for a type, or UNDEFINED. Numbers after float4e2m1 differ from ONNX's.
ONNXTensorElementDataType element_type_of(DType dtype) noexcept;
std::optional<DType> dtype_of_element(ONNXTensorElementDataType type) noexcept;

/// Broadcasts two shapes, aligned at the end, as all operators of ONNX do. Error messages name `op`.
Shape broadcast(std::string_view op, const Shape& from, const Shape& wanted);

/// Returns the strides that broadcast a dense tensor of shape `from` to `shape`: 0 for broadcast axes.
Shape broadcast_strides(const Shape& from, const Shape& shape);

}  // namespace strew::ort
