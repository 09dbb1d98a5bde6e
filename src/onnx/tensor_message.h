// Reads the fields of a TensorProto, and converts them and external data to a Tensor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/tensor_file.h"

namespace strew {
/// Field numbers of TensorProto in onnx.proto.
enum TensorField : std::uint32_t {
  kDims = 1,
  kDataType = 2,
  kSegment = 3,
  kFloatData = 4,
  kInt32Data = 5,
  kStringData = 6,
  kInt64Data = 7,
  kTensorName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kExternalData = 13,
  kDataLocation = 14,
};

/// Returns the name, such as "int32_data", of one of the seven fields that hold values; "" for any other field.
std::string_view value_field_name(std::uint32_t field) noexcept;

/// The relevant entries of external_data, as text; others are ignored.
struct ExternalData {
  std::optional<std::string> location;
  std::optional<std::string> offset;
  std::optional<std::string> length;
};

struct TensorMessage {
  std::span<const std::byte> bytes;  ///< the whole message
  Shape dims;
  std::int64_t data_type = 0;
  std::string name;
  std::optional<std::span<const std::byte>> raw_data;
  std::array<std::int64_t, 12> value_counts{};  ///< number of values in each typed field, by field number
  bool has_segment = false;
  bool external = false;
  ExternalData external_data;
};

/// Reads all fields, but only counts typed values. After an error, `to.name` is set if it precedes the error.
Status read_tensor_message(std::span<const std::byte> bytes, TensorMessage& to);

/// Returns the typed field for values of this type.
std::uint32_t typed_field_of(DType dtype) noexcept;

/// Creates a tensor of shape message.dims from little-endian bytes; the caller has checked their number. Borrows
/// the bytes if `owner` is set, else copies them. Also copies if a bool is neither 0 nor 1, and sets it to 1.
Result<Tensor> tensor_from_raw(const TensorMessage& message, DType dtype, std::span<const std::byte> bytes,
                               std::shared_ptr<const void> owner);

/// Creates a tensor of shape message.dims, with `count` elements, from the typed field of `dtype`. Checks the
/// number of values before it allocates.
Result<Tensor> tensor_from_typed_field(const TensorMessage& message, DType dtype, std::int64_t count);

class FileBytes;

/// Files opened by one load, by location. Systems limit the number of mappings, so tensors of a file share one.
using ExternalFiles = std::map<std::string, std::shared_ptr<const FileBytes>>;

/// Bytes of a file and the owner of their memory.
struct ExternalBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
};

/// Returns the `size_bytes` bytes that `data` points to; opens the file if `files` lacks it. The location must be
/// a relative path below `folder`, without "..", and must lead to a regular file without other hard links.
/// Symbolic links must stay below `links_within`. `data.length`, if set, must equal `size_bytes`.
Result<ExternalBytes> open_external_data(const ExternalData& data, const std::filesystem::path& folder,
                                         const std::optional<std::filesystem::path>& links_within,
                                         std::int64_t size_bytes, ExternalFiles& files);

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

/// Decodes one TensorProto message. Borrows external data and, if there is an `owner`, raw data. Errors
/// start with `tensor 'name': `. Safe for any bytes: allocates a tensor only if the bytes hold all its values.
Result<NamedTensor> decode_tensor(std::span<const std::byte> message, const TensorSource& source);

}  // namespace strew
