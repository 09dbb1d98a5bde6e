// ONNX Runtime's tensors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api.h"
#include "strew/plan.h"

namespace strew::ort {

/// A dense tensor as ONNX Runtime describes it: plain references, valid as long as its value. No address for
/// strings.
struct Tensor {
  const void* data;
  DType dtype;
  std::span<const std::int64_t> dims;

  TensorSpec spec() const { return {dtype, Shape(dims)}; }
  TensorView view() const { return {data, dtype, Shape(dims)}; }
};

Tensor tensor_of(const Api& api, const OrtValue* value);

/// The strings of a tensor as copies: ONNX Runtime may have been built with another std::string.
std::vector<std::string> read_strings(const Api& api, const OrtValue* value);
void write_strings(const Api& api, const std::vector<std::string>& strings, OrtValue* value);

}  // namespace strew::ort
