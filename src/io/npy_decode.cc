// Converts bytes of a .npy file to a tensor.
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "io/npy_header.h"

namespace strew {
namespace {

// Returns the strides, in elements, of an array in Fortran order.
Shape fortran_strides(const Shape& shape) {
  Shape strides;
  std::int64_t stride = 1;
  for (const std::int64_t dim : shape) {
    strides.push_back(stride);
    stride *= std::max<std::int64_t>(dim, 1);
  }
  return strides;
}

// Returns the number of bytes that are swapped together. A complex number has two such units.
std::int64_t swap_unit(DType dtype) {
  const bool complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  return bit_width(dtype) / (complex ? 16 : 8);
}

void swap_bytes(Tensor& tensor) {
  const std::int64_t unit = swap_unit(tensor.dtype());
  auto* bytes = static_cast<std::byte*>(tensor.mutable_data());
  for (std::byte* end = bytes + tensor.size_bytes(); bytes != end; bytes += unit)
    std::reverse(bytes, bytes + unit);
}

bool is_bool(std::byte byte) { return byte <= std::byte{1}; }

void normalise_bools(Tensor& tensor) {
  auto* bytes = static_cast<std::byte*>(tensor.mutable_data());
  for (std::byte* end = bytes + tensor.size_bytes(); bytes != end; ++bytes)
    *bytes = std::byte{*bytes != std::byte{0}};
}

Result<Tensor> pack(const Tensor& bytes, DType dtype) {
  auto packed = Tensor::zeros(dtype, bytes.shape());
  if (!packed) return packed;
  const int bits = bit_width(dtype);
  const std::int64_t per_byte = 8 / bits;
  const auto* from = static_cast<const std::uint8_t*>(bytes.data());
  auto* to = static_cast<std::uint8_t*>(packed->mutable_data());
  for (std::int64_t i = 0; i < bytes.element_count(); ++i) {
    const int value = from[i] & ((1 << bits) - 1);
    to[i / per_byte] = static_cast<std::uint8_t>(to[i / per_byte] | value << (bits * (i % per_byte)));
  }
  return packed;
}

bool can_borrow(const NpyHeader& header, std::span<const std::byte> data, DType dtype) {
  const bool transposed = header.fortran_order && header.shape.rank() > 1;
  if (transposed || header.item.swapped || is_packed(dtype)) return false;
  return dtype != DType::kBool || std::all_of(data.begin(), data.end(), is_bool);
}

Result<Tensor> copy_in_order(const void* data, DType dtype, const NpyHeader& header) {
  if (!header.fortran_order) return Tensor::copy_of(TensorView(data, dtype, header.shape));
  return Tensor::copy_of(TensorView(data, dtype, header.shape, fortran_strides(header.shape)));
}

}  // namespace

Result<Tensor> decode_npy(const NpyHeader& header, std::span<const std::byte> data,
                          std::shared_ptr<const void> owner, std::optional<DType> as) {
  STREW_ASSIGN(const auto& dtype, resolve_npy_dtype(header.item, as));
  if (dtype == DType::kString) {
    auto strings = decode_npy_strings(header, data);
    if (!strings) return strings;
    return copy_in_order(strings->data(), DType::kString, header);
  }
  if (owner != nullptr && can_borrow(header, data, dtype)) {
    return Tensor::borrow(std::move(owner), data.data(), dtype, header.shape);
  }
  auto copy = copy_in_order(data.data(), is_packed(dtype) ? DType::kUInt8 : dtype, header);
  if (!copy) return copy;
  if (is_packed(dtype)) return pack(*copy, dtype);
  if (header.item.swapped) swap_bytes(*copy);
  if (dtype == DType::kBool) normalise_bools(*copy);
  return copy;
}

}  // namespace strew
