// Reads and writes tensor files: ONNX TensorProto (.pb) and NumPy's .npy and .npz.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strew/error.h"
#include "strew/export.h"
#include "strew/tensor.h"
#include "strew/view.h"

STREW_API_BEGIN
namespace strew {

/// A tensor and its name in a file or model.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Reads one ONNX TensorProto in any encoding that `onnx.proto` allows. Invalid or contradictory lengths, counts,
/// fields, type numbers and dimensions are kInvalidModel. External data are looked up beside the file.
[[nodiscard]] Result<NamedTensor> load_tensor_pb(const std::filesystem::path& path);

/// As above, from memory. Rejects external data.
[[nodiscard]] Result<NamedTensor> parse_tensor_pb(std::span<const std::byte> bytes);

/// Writes one ONNX TensorProto with raw_data (string_data for strings). The file is written completely or not at
/// all.
[[nodiscard]] Status save_tensor_pb(const std::filesystem::path& path, const TensorView& tensor,
                                    const std::string& name = "");

/// Returns the bytes that `save_tensor_pb` writes.
[[nodiscard]] Result<std::string> serialize_tensor_pb(const TensorView& tensor, const std::string& name = "");

/// Reads a NumPy .npy file, versions 1 to 3. An array above 1 MiB is mapped: if another process truncates the file
/// while the tensor is in use, the system kills this process with SIGBUS. NumPy writes types of ml_dtypes
/// (bfloat16, float8, 4-bit, 2-bit) as raw bytes; `as` specifies their type. Rejects object arrays; 'S' and
/// 'U' arrays become strings. Ignores bytes after the array, here and in a .npz file, as NumPy does.
[[nodiscard]] Result<Tensor> load_npy(const std::filesystem::path& path, std::optional<DType> as = std::nullopt);

/// As above, from memory.
[[nodiscard]] Result<Tensor> parse_npy(std::span<const std::byte> bytes, std::optional<DType> as = std::nullopt);

/// Writes a .npy file, version 1. It is written completely or not at all. bfloat16, float8 and types of 2 and 4
/// bits are raw bytes, as in NumPy. Strings that NumPy cannot store (not UTF-8, NUL at the end) are kUnsupported.
[[nodiscard]] Status save_npy(const std::filesystem::path& path, const TensorView& tensor);

/// Returns the bytes that `save_npy` writes.
[[nodiscard]] Result<std::string> serialize_npy(const TensorView& tensor);

/// Reads all arrays of a .npz file, stored or deflated, in the order of the archive, without ".npy" in the names.
/// `raw_as` is the element type of arrays of raw bytes.
[[nodiscard]] Result<std::vector<NamedTensor>> load_npz(const std::filesystem::path& path,
                                                        std::optional<DType> raw_as = std::nullopt);

/// Writes a .npz file as NumPy's `savez` does.
[[nodiscard]] Status save_npz(const std::filesystem::path& path,
                              std::span<const std::pair<std::string, TensorView>> arrays);

/// Reads a .npy or .pb file, or the only array of a .npz file, depending on the file extension.
[[nodiscard]] Result<Tensor> load_tensor(const std::filesystem::path& path,
                                         std::optional<DType> as = std::nullopt);

/// Writes a .npy, .pb or .npz file, depending on the file extension. A .npy file does not store `name`.
[[nodiscard]] Status save_tensor(const std::filesystem::path& path, const TensorView& tensor,
                                 const std::string& name);

}  // namespace strew
STREW_API_END
