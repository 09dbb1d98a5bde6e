// External data of tensors: opens files beside the model, without leaving its folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "onnx/tensor_message.h"
#include "strew/error.h"

namespace strew {

class FileBytes;

/// Files opened by one load, by location. Tensors of a file share one mapping, since mappings are limited.
using ExternalFiles = std::map<std::string, std::shared_ptr<const FileBytes>>;

/// Bytes of a file and the owner of their memory.
struct ExternalBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
};

/// Returns the `size_bytes` bytes that `data` points to; opens the file if `files` lacks it. The location must be
/// a relative path below `folder` without "..", to a regular file without other hard links; symbolic links must
/// stay beneath `links_within`. `data.length`, if set, must equal `size_bytes`.
Result<ExternalBytes> open_external_data(const ExternalData& data, const std::filesystem::path& folder,
                                         const std::optional<std::filesystem::path>& links_within,
                                         std::int64_t size_bytes, ExternalFiles& files);

}  // namespace strew
