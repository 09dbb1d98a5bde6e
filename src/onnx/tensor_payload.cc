// Converts raw bytes and typed fields to elements.
#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/size.h"
#include "onnx/tensor_message.h"
#include "onnx/wire.h"

namespace strew {
namespace {

struct Range {
  std::int64_t low;
  std::int64_t high;
};

template <class T>
constexpr Range range_of() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

// Returns the legal values of an entry of int32_data. In bit patterns (floats and packed types) the high bits may
// be zero or copies of the sign bit.
Range int32_data_range(DType dtype) noexcept {
  if (dtype == DType::kInt32) return range_of<std::int32_t>();
  if (dtype == DType::kInt16) return range_of<std::int16_t>();
  if (dtype == DType::kUInt16) return range_of<std::uint16_t>();
  if (dtype == DType::kInt8) return range_of<std::int8_t>();
  if (dtype == DType::kUInt8 || dtype == DType::kBool) return range_of<std::uint8_t>();
  if (dtype == DType::kFloat16 || dtype == DType::kBFloat16) return {INT16_MIN, UINT16_MAX};
  return {INT8_MIN, UINT8_MAX};
}

std::int64_t expected_values(DType dtype, std::int64_t count) noexcept {
  if (dtype == DType::kComplex64 || dtype == DType::kComplex128) return 2 * count;
  return is_packed(dtype) ? size_bytes(dtype, count) : count;
}

void normalise_bools(Tensor& tensor) {
  auto* const bytes = static_cast<unsigned char*>(tensor.mutable_data());
  std::transform(bytes, bytes + tensor.size_bytes(), bytes, [](unsigned char b) { return b != 0; });
}

// Fills the memory of a tensor with the values of one field, `width_` bytes each, and keeps the first error. Never
// writes past the end, even if the file changed after the values were counted.
class Filler {
 public:
  Filler(Tensor& tensor, std::uint32_t field, std::int64_t values)
      : to_(static_cast<std::byte*>(tensor.mutable_data())),
        width_(static_cast<std::size_t>(tensor.size_bytes() / std::max<std::int64_t>(values, 1))),
        values_(values),
        field_(field),
        dtype_(tensor.dtype()) {}

  template <class T>
  void put(T value) {
    if (at_ < values_) std::memcpy(to_ + static_cast<std::size_t>(at_) * width_, &value, width_);
    ++at_;
  }

  template <class T>
  void put_checked(T value, T low, T high) {
    if ((value < low || value > high) && status_) {
      status_ = fail(ErrorCode::kInvalidModel, value_field_name(field_), "[", at_, "] = ", value, " is outside [",
                     low, ", ", high, "] for ", dtype_name(dtype_));
    }
    put(value);
  }

  Status status() const {
    if (!status_) return status_;
    if (at_ != values_) return fail(ErrorCode::kInvalidModel, "the message changed while it was read");
    return {};
  }

 private:
  std::byte* to_;
  std::size_t width_;
  std::int64_t values_;
  std::uint32_t field_;
  DType dtype_;
  std::int64_t at_ = 0;
  Status status_;
};

// Passes the values of a field to `filler`. An int32 is the low half of its varint, as in protobuf.
Status fill_from_field(const WireField& field, DType dtype, Filler& filler) {
  if (field.number == kFloatData) return field.for_each_value<float>([&](float v) { filler.put(v); });
  if (field.number == kDoubleData) return field.for_each_value<double>([&](double v) { filler.put(v); });
  if (field.number == kInt64Data)
    return field.for_each_value<std::int64_t>([&](std::int64_t v) { filler.put(v); });
  if (field.number == kUint64Data) {
    const std::uint64_t most = dtype == DType::kUInt32 ? UINT32_MAX : UINT64_MAX;
    return field.for_each_value<std::uint64_t>(
        [&](std::uint64_t v) { filler.put_checked(v, std::uint64_t{0}, most); });
  }
  const auto [low, high] = int32_data_range(dtype);
  return field.for_each_value<std::int64_t>([&, low = low, high = high](std::int64_t v) {
    filler.put_checked(std::int64_t{static_cast<std::int32_t>(v)}, low, high);
  });
}

Status fill_strings(const TensorMessage& message, Tensor& tensor) {
  auto* next = static_cast<std::string*>(tensor.mutable_data());
  const auto* const end = next + tensor.element_count();
  return for_each_field(message.bytes, [&](const WireField& field) -> Status {
    return field.number == kStringData && next != end ? field.read(*next++) : Status();
  });
}

Status fill_numbers(const TensorMessage& message, std::uint32_t home, std::int64_t values, Tensor& tensor) {
  Filler filler(tensor, home, values);
  STREW_TRY(for_each_field(message.bytes, [&](const WireField& field) -> Status {
    return field.number == home ? fill_from_field(field, tensor.dtype(), filler) : Status();
  }));
  return filler.status();
}

}  // namespace

std::uint32_t typed_field_of(DType dtype) noexcept {
  if (dtype == DType::kFloat32 || dtype == DType::kComplex64) return kFloatData;
  if (dtype == DType::kFloat64 || dtype == DType::kComplex128) return kDoubleData;
  if (dtype == DType::kInt64) return kInt64Data;
  if (dtype == DType::kUInt32 || dtype == DType::kUInt64) return kUint64Data;
  return dtype == DType::kString ? kStringData : kInt32Data;
}

Result<Tensor> tensor_from_raw(const TensorMessage& message, DType dtype, std::span<const std::byte> bytes,
                               std::shared_ptr<const void> owner) {
  const bool odd_bools = dtype == DType::kBool &&
                         std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  if (owner && !odd_bools) return Tensor::borrow(std::move(owner), bytes.data(), dtype, message.dims);
  auto tensor = Tensor::copy_of(TensorView(bytes.data(), dtype, message.dims));
  if (tensor && odd_bools) normalise_bools(*tensor);
  return tensor;
}

Result<Tensor> tensor_from_typed_field(const TensorMessage& message, DType dtype, std::int64_t count) {
  const std::uint32_t home = typed_field_of(dtype);
  const std::int64_t values = message.value_counts[home];
  const std::int64_t expected = expected_values(dtype, count);
  if (values == 0 && expected != 0) {
    return fail(ErrorCode::kInvalidModel, "it has no values; ", dtype_name(dtype), " ", message.dims, " needs ",
                expected, " in ", value_field_name(home), " or raw_data");
  }
  if (values != expected) {
    return fail(ErrorCode::kInvalidModel, value_field_name(home), " has ", values,
                values == 1 ? " value" : " values", "; ", dtype_name(dtype), " ", message.dims, " needs ",
                expected);
  }
  auto tensor = Tensor::uninitialized(dtype, message.dims);
  if (!tensor) return tensor;
  STREW_TRY(dtype == DType::kString ? fill_strings(message, *tensor)
                                    : fill_numbers(message, home, values, *tensor));
  if (dtype == DType::kBool) normalise_bools(*tensor);
  return tensor;
}

}  // namespace strew
