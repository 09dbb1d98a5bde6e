// ONNX Runtime's tensors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api.h"
#include "strew/plan.h"

namespace strew::ort {

/// A tensor as ONNX Runtime describes it, dense but for `cut_from`: plain references, valid as long as its value.
/// No address for strings.
struct Tensor {
  const void* data;
  DType dtype;
  std::span<const std::int64_t> dims;
  /// Where it is the first corner of a larger one, that one's dimensions; else empty.
  std::span<const std::int64_t> cut_from = {};

  TensorSpec spec() const { return {dtype, Shape(dims)}; }
  TensorView view() const;
};

Tensor tensor_of(const Api& api, const OrtValue* value);

/// An input of the node that runs; nullptr where it is left out.
const OrtValue* input_value(const Api& api, const OrtKernelContext* context, std::size_t i);

/// The updates that a Slice to the shape of the indices would have left; the dimensions go to `dims`.
Tensor cut_updates(const Tensor& whole, std::span<const std::int64_t> indices, std::vector<std::int64_t>& dims);

/// The strings of a tensor as copies: ONNX Runtime may have been built with another std::string.
std::vector<std::string> read_strings(const Api& api, const OrtValue* value);
void write_strings(const Api& api, const std::vector<std::string>& strings, OrtValue* value);

}  // namespace strew::ort
