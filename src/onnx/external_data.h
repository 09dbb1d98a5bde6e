// External data of tensors: the bytes of a file beside the model, reached without leaving its folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "onnx/tensor_message.h"
#include "strew/error.h"

namespace strew {

/// Bytes of a mapped file, and what keeps them mapped.
struct ExternalBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
};

/// Maps the `size_bytes` bytes that `data` points to. The location must be a relative path below `folder` without
/// "..", to a regular file that has no other hard link, through no symbolic link but such as stay beneath
/// `links_within`. `length` must be `size_bytes` where it is given.
Result<ExternalBytes> map_external_data(const ExternalData& data, const std::filesystem::path& folder,
                                        const std::optional<std::filesystem::path>& links_within,
                                        std::int64_t size_bytes);

}  // namespace strew
