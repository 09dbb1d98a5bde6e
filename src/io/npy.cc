// Whole .npy files.
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "io/at_file.h"
#include "io/file.h"
#include "io/npy_data.h"
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

}  // namespace strew
