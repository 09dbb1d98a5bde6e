// Decodes the elements of .npy files to tensors, and encodes strings as elements of such files.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/utf8.h"
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

// Returns the size in bytes of the unit whose bytes are swapped. A complex number has two units.
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

std::uint32_t code_unit(const std::byte* from, bool swapped) {
  std::uint32_t unit = 0;
  std::memcpy(&unit, from, sizeof unit);
  return swapped ? __builtin_bswap32(unit) : unit;
}

Status decode_unicode(std::span<const std::byte> data, bool swapped, std::int64_t element, std::string& to) {
  std::size_t units = data.size() / 4;
  while (units > 0 && code_unit(&data[4 * (units - 1)], false) == 0) --units;
  for (std::size_t i = 0; i < units; ++i) {
    const std::uint32_t unit = code_unit(&data[4 * i], swapped);
    if (append_utf8(to, unit)) continue;
    return fail(ErrorCode::kInvalidModel, "character ", i, " of string ", element, " is ", unit,
                ", which is not a valid Unicode character");
  }
  return {};
}

void decode_bytes(std::span<const std::byte> data, std::string& to) {
  while (!data.empty() && data.back() == std::byte{0}) data = data.first(data.size() - 1);
  to.assign(reinterpret_cast<const char*>(data.data()), data.size());
}

// Returns the length in code points, or an error if a 'U' element cannot hold the string.
Result<std::int64_t> unicode_length(const std::string& text, std::size_t element) {
  if (text.ends_with('\0')) {
    return fail(ErrorCode::kUnsupported, "string ", element,
                " ends in NUL, which NumPy's fixed-width strings drop; save the tensor as .pb");
  }
  std::int64_t length = 0;
  for (std::size_t at = 0; at < text.size(); ++length) {
    if (next_utf8(text, at)) continue;
    return fail(ErrorCode::kUnsupported, "string ", element, " is not UTF-8 at byte ", at,
                ", so NumPy's strings cannot hold it; save the tensor as .pb");
  }
  return length;
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

Result<Tensor> decode_npy_strings(const NpyHeader& header, std::span<const std::byte> data) {
  const std::int64_t count = element_count(header.shape);
  auto strings = Tensor::uninitialized(DType::kString, {count});
  if (!strings) return strings;
  auto* out = static_cast<std::string*>(strings->mutable_data());
  const auto width = static_cast<std::size_t>(header.item.bytes);
  const auto decode = [&]() -> Status {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto element = data.subspan(static_cast<std::size_t>(i) * width, width);
      if (header.item.kind == NpyItem::Kind::kBytes) {
        decode_bytes(element, out[i]);
      } else {
        STREW_TRY(decode_unicode(element, header.item.swapped, i, out[i]));
      }
    }
    return {};
  };
  STREW_TRY(
      with_memory(decode, [&] { return fail(ErrorCode::kOutOfMemory, "no memory for ", count, " strings"); }));
  return strings;
}

Result<Tensor> encode_npy_strings(std::span<const std::string> strings) {
  std::int64_t width = 1;  // NumPy writes no strings of width 0
  for (std::size_t i = 0; i < strings.size(); ++i) {
    STREW_ASSIGN(const auto& length, unicode_length(strings[i], i));
    width = std::max(width, length);
  }
  auto units = Tensor::zeros(DType::kUInt32, {static_cast<std::int64_t>(strings.size()), width});
  if (!units) return units;
  auto* row = static_cast<std::uint32_t*>(units->mutable_data());
  for (const std::string& text : strings) {
    std::uint32_t* unit = row;
    for (std::size_t at = 0; at < text.size();) *unit++ = next_utf8(text, at).value_or(0);
    row += width;
  }
  return units;
}

}  // namespace strew
