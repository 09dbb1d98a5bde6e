// Whole .npy files.
#include <utility>

#include "core/catch_bad_alloc.h"
#include "core/error.h"
#include "io/at_file.h"
#include "io/file.h"
#include "io/npy_data.h"
#include "io/npy_header.h"
#include "strew/tensor_file.h"

namespace strew {
namespace {

Result<Tensor> read_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        std::optional<DType> as) {
  const auto header = parse_npy_header(bytes);
  if (!header) return fail(header.error());
  const auto data = npy_data(*header, bytes);
  if (!data) return fail(data.error());
  return decode_npy(*header, *data, std::move(owner), as);
}

}  // namespace

Result<Tensor> load_npy(const std::filesystem::path& path, std::optional<DType> as) {
  return guarded("the .npy file", [&]() -> Result<Tensor> {
    const auto file = FileBytes::open(path);
    if (!file) return fail(file.error());
    return at_file(path.string(), read_npy((*file)->bytes(), *file, as));
  });
}

Result<Tensor> parse_npy(std::span<const std::byte> bytes, std::optional<DType> as) {
  return guarded("the .npy file",
                 [&]() -> Result<Tensor> { return at_file("npy", read_npy(bytes, nullptr, as)); });
}

Result<std::string> serialize_npy(const TensorView& tensor) {
  return guarded("the .npy file", [&]() -> Result<std::string> {
    auto image = at_file("npy", encode_npy(tensor));
    if (!image) return fail(std::move(image).error());
    return std::move(image->header).append(reinterpret_cast<const char*>(image->data.data()), image->data.size());
  });
}

Status save_npy(const std::filesystem::path& path, const TensorView& tensor) {
  return guarded("the .npy file", [&]() -> Status {
    const auto image = at_file(path.string(), encode_npy(tensor));
    if (!image) return fail(image.error());
    auto file = FileWriter::create(path);
    if (!file) return fail(std::move(file).error());
    STREW_TRY(file->write(image->header));
    STREW_TRY(file->write(image->data));
    return file->commit();
  });
}

}  // namespace strew
