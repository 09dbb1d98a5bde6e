// Loads and saves .npy files, and converts tensors to and from the bytes of such files.
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/size.h"
#include "core/view_check.h"
#include "io/file.h"
#include "io/npy_header.h"
#include "strew/tensor_file.h"

namespace strew {
namespace {

Result<Tensor> read_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        std::optional<DType> as) {
  STREW_ASSIGN(const auto& header, parse_npy_header(bytes));
  STREW_ASSIGN(const auto& data, npy_data(header, bytes));
  return decode_npy(header, data, std::move(owner), as);
}

// Expands packed elements to one byte each, with high bits 0.
Result<Tensor> unpack(const TensorView& packed, std::int64_t count) {
  auto bytes = Tensor::uninitialized(DType::kUInt8, {count});
  if (!bytes) return bytes;
  const int bits = bit_width(packed.dtype());
  const std::int64_t per_byte = 8 / bits;
  const auto* from = static_cast<const std::uint8_t*>(packed.data());
  auto* to = static_cast<std::uint8_t*>(bytes->mutable_data());
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<std::uint8_t>(from[i / per_byte] >> (bits * (i % per_byte)) & ((1 << bits) - 1));
  }
  return bytes;
}

Result<Tensor> encode_strings(const TensorView& tensor) {
  auto dense = Tensor::copy_of(tensor);
  if (!dense) return dense;
  return encode_npy_strings(dense->values<std::string>());
}

}  // namespace

Result<Tensor> load_npy(const std::filesystem::path& path, std::optional<DType> as) {
  return with_memory_for("the .npy file", [&]() -> Result<Tensor> {
    STREW_ASSIGN(const auto& file, FileBytes::open(path));
    return at_file(path.string(), read_npy((file)->bytes(), file, as));
  });
}

Result<Tensor> parse_npy(std::span<const std::byte> bytes, std::optional<DType> as) {
  return with_memory_for("the .npy file",
                         [&]() -> Result<Tensor> { return at_file("npy", read_npy(bytes, nullptr, as)); });
}

Result<std::string> serialize_npy(const TensorView& tensor) {
  return with_memory_for("the .npy file", [&]() -> Result<std::string> {
    STREW_ASSIGN(auto&& image, at_file("npy", encode_npy(tensor)));
    return std::move(image.header).append(reinterpret_cast<const char*>(image.data.data()), image.data.size());
  });
}

Status save_npy(const std::filesystem::path& path, const TensorView& tensor) {
  return with_memory_for("the .npy file", [&]() -> Status {
    STREW_ASSIGN(const auto& image, at_file(path.string(), encode_npy(tensor)));
    STREW_ASSIGN(auto&& file, FileWriter::create(path));
    STREW_TRY(file.write(image.header));
    STREW_TRY(file.write(image.data));
    return file.commit();
  });
}

Result<NpyImage> encode_npy(const TensorView& tensor) {
  STREW_ASSIGN(const auto& count, check_view("", "tensor", tensor));
  const DType dtype = tensor.dtype();
  const bool as_it_is =
      !is_packed(dtype) && dtype != DType::kString && strides_of(tensor) == dense_strides(tensor.shape());
  NpyImage image;
  if (as_it_is) {
    image.data = {static_cast<const std::byte*>(tensor.data()),
                  static_cast<std::size_t>(size_bytes(dtype, count))};
    image.header = make_npy_header(npy_descr(dtype), tensor.shape());
    return image;
  }
  STREW_ASSIGN(auto&& converted, dtype == DType::kString ? encode_strings(tensor)
                                 : is_packed(dtype)      ? unpack(tensor, count)
                                                         : Tensor::copy_of(tensor));
  const std::string descr =
      dtype == DType::kString ? concat("<U", converted.shape()[1]) : std::string(npy_descr(dtype));
  image.header = make_npy_header(descr, tensor.shape());
  image.converted = std::move(converted);
  image.data = {static_cast<const std::byte*>(image.converted.data()),
                static_cast<std::size_t>(image.converted.size_bytes())};
  return image;
}

}  // namespace strew
