// TensorProto and SparseTensorProto: bytes in, Tensor out, by the rules of docs/semantics.md "Files".
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "strew/error.h"
#include "strew/tensor_file.h"

namespace strew {

/// Where the bytes of a message come from, and where external data may be looked up.
struct TensorSource {
  std::shared_ptr<const void> owner;                     ///< keeps the message alive; nullptr: raw_data is copied
  std::optional<std::filesystem::path> external_dir;     ///< nothing: external data are refused
  std::int64_t max_dense_bytes = std::int64_t{1} << 30;  ///< for sparse tensors
};

/// Decodes one TensorProto message. Raw and external data are borrowed (mapped) where `owner` allows it.
/// Messages start with `tensor 'name': `.
Result<NamedTensor> decode_tensor(std::span<const std::byte> message, const TensorSource& source);

/// Decodes one SparseTensorProto message into a dense tensor with the name of its values.
Result<NamedTensor> decode_sparse_tensor(std::span<const std::byte> message, const TensorSource& source);

}  // namespace strew
