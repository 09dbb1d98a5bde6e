// Decodes a TensorProto to a Tensor by the rules of docs/semantics.md "Files".
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

/// Owner of a message's bytes, and the folder of external data.
struct TensorSource {
  /// Keeps the message alive; if nullptr, raw_data is copied.
  std::shared_ptr<const void> owner = nullptr;
  /// nullopt: external data are rejected. Empty: the working folder.
  std::optional<std::filesystem::path> external_dir = std::nullopt;
  /// Symbolic links that stay below this folder are followed; nullopt: none are.
  std::optional<std::filesystem::path> links_within = std::nullopt;
  /// Files of the tensors decoded so far.
  mutable ExternalFiles files = {};
};

/// Decodes one TensorProto message. Borrows raw data if there is an `owner`, and external data always. Errors
/// start with `tensor 'name': `. Safe for any bytes: a tensor needs no more memory than the bytes account for.
Result<NamedTensor> decode_tensor(std::span<const std::byte> message, const TensorSource& source);

}  // namespace strew
