// Builds TensorProto messages for tests, and returns the decoded content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/tensor_message.h"
#include "support/pbf_writer.h"

namespace strew::testing {

/// Builds a TensorProto field by field: `TensorBuilder(DType::kInt8, {2}).raw("\1\2").message`.
class TensorBuilder {
 public:
  TensorBuilder(std::int64_t data_type, std::initializer_list<std::int64_t> dims) {
    for (const std::int64_t dim : dims) writer().add_int64(kDims, dim);
    writer().add_int64(kDataType, data_type);
    writer().add_bytes(kTensorName, "w");
  }
  TensorBuilder(DType dtype, std::initializer_list<std::int64_t> dims)
      : TensorBuilder(static_cast<std::int64_t>(dtype), dims) {}

  TensorBuilder& raw(std::string_view bytes) {
    return add([&](auto w) { w.add_bytes(kRawData, bytes); });
  }
  TensorBuilder& int32s(std::vector<std::int32_t> v) {
    return add([&](auto w) { w.add_packed(kInt32Data, v); });
  }
  TensorBuilder& int64s(std::vector<std::int64_t> v) {
    return add([&](auto w) { w.add_packed(kInt64Data, v); });
  }
  TensorBuilder& uint64s(std::vector<std::uint64_t> v) {
    return add([&](auto w) { w.add_packed(kUint64Data, v); });
  }
  TensorBuilder& floats(std::vector<float> v) {
    return add([&](auto w) { w.add_packed_real(kFloatData, v); });
  }
  TensorBuilder& doubles(std::vector<double> v) {
    return add([&](auto w) { w.add_packed_real(kDoubleData, v); });
  }
  TensorBuilder& string(std::string_view text) {
    return add([&](auto w) { w.add_bytes(kStringData, text); });
  }
  TensorBuilder& entry(const std::string& key, const std::string& value) {
    const std::string pair = message_field(1, key) + message_field(2, value);
    return add([&](auto w) { w.add_bytes(kExternalData, pair); });
  }
  /// Makes the message refer to the external file `location` for its elements. Writes no file.
  TensorBuilder& external(const std::string& location) {
    return entry("location", location).add([](auto w) { w.add_int64(kDataLocation, 1); });
  }
  template <class Add>
  TensorBuilder& add(Add add_to) {
    add_to(writer());
    return *this;
  }

  std::string message;

 private:
  PbfWriter writer() { return PbfWriter(message); }
};

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

inline Result<NamedTensor> decode(const std::string& message) { return decode_tensor(bytes_of(message), {}); }
inline Result<NamedTensor> decode(const TensorBuilder& builder) { return decode(builder.message); }

/// Returns the memory of the tensor as text, or the error message.
inline std::string content_of(const Result<NamedTensor>& result) {
  if (!result) return result.error().message();
  const Tensor& tensor = result->tensor;
  return {static_cast<const char*>(tensor.data()), static_cast<std::size_t>(tensor.size_bytes())};
}

/// Returns the elements; empty after an error, or if the type differs.
template <class T>
std::vector<T> values_of(const Result<NamedTensor>& result) {
  if (!result) return {};
  const auto values = result->tensor.values<T>();
  return {values.begin(), values.end()};
}

}  // namespace strew::testing
