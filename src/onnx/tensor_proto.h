// TensorProto: bytes in, Tensor out, by the rules of docs/semantics.md "Files".
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "onnx/external_data.h"
#include "strew/error.h"
#include "strew/tensor_file.h"

namespace strew {

/// Where the bytes of a message come from, and where external data may be looked up.
struct TensorSource {
  /// Keeps the message alive; where it is nullptr, raw_data is copied.
  std::shared_ptr<const void> owner = nullptr;
  /// Nothing: external data are rejected. Empty: the working folder.
  std::optional<std::filesystem::path> external_dir = std::nullopt;
  /// Links below this folder are followed; nothing: none is.
  std::optional<std::filesystem::path> links_within = std::nullopt;
  /// Those that the tensors decoded so far lie in.
  mutable ExternalFiles files = {};
};

/// Decodes one TensorProto message. Raw data are borrowed if there is an `owner`, external data always.
/// Messages start with `tensor 'name': `. Safe for any bytes: a tensor takes no more memory than they account for.
Result<NamedTensor> decode_tensor(std::span<const std::byte> message, const TensorSource& source);

}  // namespace strew
