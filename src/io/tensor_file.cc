// Loads and saves .npy files, and other tensor files according to their file name extension. Converts tensors to
// and from the bytes of .npy files.
#include "strew/tensor_file.h"

#include <array>
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/size.h"
#include "core/view_check.h"
#include "io/file.h"
#include "io/npy_header.h"

namespace strew {
namespace {

tl::unexpected<Error> unknown_ending(const std::filesystem::path& path) {
  return fail(ErrorCode::kUnsupported, {.where = path.native()}, path.extension() == ".onnx" ? "a model; " : "",
              "the name of a tensor file must end in .npy, .npz or .pb");
}

Result<Tensor> load_only_array(const std::filesystem::path& path, std::optional<DType> as) {
  STREW_ASSIGN(auto&& arrays, load_npz(path, as));
  if (arrays.size() == 1) return std::move(arrays.front().tensor);
  const std::string names = join(arrays, ", ", [](const NamedTensor& array) { return array.name; });
  const auto count = static_cast<std::int64_t>(arrays.size());
  return fail(ErrorCode::kInvalidArgument, {.value = count, .where = path.native()}, "holds ", count, " arrays",
              names.empty() ? names : " (" + names + ')', "; one is expected");
}

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

Result<Tensor> load_tensor(const std::filesystem::path& path, std::optional<DType> as) {
  return with_memory_for("the tensor file", [&]() -> Result<Tensor> {
    const auto ending = path.extension();
    if (ending == ".npy") return load_npy(path, as);
    if (ending == ".npz") return load_only_array(path, as);
    if (ending != ".pb") return unknown_ending(path);
    STREW_ASSIGN(auto&& named, load_tensor_pb(path));
    return std::move(named.tensor);
  });
}

Status save_tensor(const std::filesystem::path& path, const TensorView& tensor, const std::string& name) {
  return with_memory_for("the tensor file", [&]() -> Status {
    const auto ending = path.extension();
    if (ending == ".npy") return save_npy(path, tensor);
    if (ending == ".pb") return save_tensor_pb(path, tensor, name);
    if (ending != ".npz") return unknown_ending(path);
    // NumPy's name for an unnamed array.
    const std::array arrays{std::pair(name.empty() ? std::string("arr_0") : name, tensor)};
    return save_npz(path, arrays);
  });
}

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
