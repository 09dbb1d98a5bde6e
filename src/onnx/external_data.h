// External data of tensors: the bytes of a file beside the model, reached without leaving its folder.
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

/// The files that one load has opened, by location: a process has few mappings and not endless addresses, so the
/// tensors of a file share one.
using ExternalFiles = std::map<std::string, std::shared_ptr<const FileBytes>>;

/// Bytes of a file, and what keeps them.
struct ExternalBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
};

/// The `size_bytes` bytes that `data` points to, of a file that is opened if `files` lacks it. The location
/// must be a relative path below `folder` without "..", to a regular file that has no other hard link, through no
/// symbolic link but such as stay beneath `links_within`. `length` must be `size_bytes` where it is given.
Result<ExternalBytes> open_external_data(const ExternalData& data, const std::filesystem::path& folder,
                                         const std::optional<std::filesystem::path>& links_within,
                                         std::int64_t size_bytes, ExternalFiles& files);

}  // namespace strew
