// Tensor files of any kind, by file name extension.
#include "strew/tensor_file.h"

#include <array>
#include <utility>

#include "core/error.h"
#include "core/fence.h"

namespace strew {
namespace {

tl::unexpected<Error> unknown_ending(const std::filesystem::path& path) {
  return fail(ErrorCode::kUnsupported, {.where = path.native()}, path.extension() == ".onnx" ? "a model; " : "",
              "the name of a tensor file ends in .npy, .npz or .pb");
}

Result<Tensor> load_only_array(const std::filesystem::path& path, std::optional<DType> as) {
  STREW_ASSIGN(auto&& arrays, load_npz(path, as));
  if (arrays.size() == 1) return std::move(arrays.front().tensor);
  std::string names;
  for (const NamedTensor& array : arrays) names += (names.empty() ? " (" : ", ") + array.name;
  if (!names.empty()) names += ')';
  const auto count = static_cast<std::int64_t>(arrays.size());
  return fail(ErrorCode::kInvalidArgument, {.value = count, .where = path.native()}, "holds ", count, " arrays",
              names, "; one is expected");
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

}  // namespace strew
