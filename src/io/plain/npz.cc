// Rejects archives, since there are no files.
#include "io/plain/no_files.h"
#include "strew/tensor_file.h"

namespace strew {

Result<std::vector<NamedTensor>> load_npz(const std::filesystem::path& path, std::optional<DType>) {
  return no_files(path);
}

Status save_npz(const std::filesystem::path& path, std::span<const std::pair<std::string, TensorView>>) {
  return no_files(path);
}

}  // namespace strew
