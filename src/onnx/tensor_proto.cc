// Decodes a TensorProto: reads its fields, finds the encoding of its values, and checks sizes.
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/size.h"
#include "io/file.h"
#include "onnx/tensor_message.h"
#include "onnx/wire.h"

namespace strew {
namespace {

Status read_dims(const WireField& field, Shape& dims) {
  STREW_ASSIGN(const auto& count, field.value_count<std::int64_t>());
  if (count > kMaxRank - dims.rank()) {
    return fail(ErrorCode::kUnsupported, "more than ", kMaxRank, " dims");
  }
  return field.for_each_value<std::int64_t>([&](std::int64_t dim) { dims.push_back(dim); });
}

template <class T>
Status count_values(const WireField& field, TensorMessage& to) {
  STREW_ASSIGN(const auto& count, field.value_count<T>());
  to.value_counts[field.number] += count;
  return {};
}

// Rejects a key that occurs twice, since readers differ in which entry they use.
Status read_external_entry(const WireField& entry, ExternalData& to) {
  std::span<const std::byte> message;
  STREW_TRY(entry.read(message));
  std::string key;
  std::string value;
  STREW_TRY(for_each_field(message, [&](const WireField& field) -> Status {
    if (field.number == 1) return field.read(key);
    if (field.number == 2) return field.read(value);
    return {};
  }));
  std::optional<std::string>* const slot = key == "location" ? &to.location
                                           : key == "offset" ? &to.offset
                                           : key == "length" ? &to.length
                                                             : nullptr;
  if (slot == nullptr) return {};
  if (*slot) return fail(ErrorCode::kInvalidModel, "external_data has the key '", key, "' twice");
  *slot = std::move(value);
  return {};
}

Status read_location(const WireField& field, bool& external) {
  std::int64_t location = 0;
  STREW_TRY(field.read(location));
  if (location != 0 && location != 1) {
    return fail(ErrorCode::kInvalidModel, "data_location is ", location,
                "; it must be 0 (default) or 1 (external)");
  }
  external = location == 1;
  return {};
}

// Returns the first value field that is set besides `allowed`, or 0. An empty typed field counts as absent, as
// in protobuf.
std::uint32_t other_value_field(const TensorMessage& message, std::uint32_t allowed) noexcept {
  if (message.raw_data && allowed != kRawData) return kRawData;
  for (std::uint32_t field = 0; field < message.value_counts.size(); ++field) {
    if (field != allowed && message.value_counts[field] != 0) return field;
  }
  return 0;
}

Result<DType> check_type(const TensorMessage& message) {
  if (const auto dtype = dtype_from_onnx(message.data_type)) return *dtype;
  if (message.data_type == 0) return fail(ErrorCode::kInvalidModel, "data_type is missing or 0 (undefined)");
  return fail(ErrorCode::kInvalidModel, "data_type ", message.data_type, " is not an ONNX type; types are 1 to ",
              kDTypeMax);
}

Status check_no_strings(DType dtype, std::string_view where) {
  if (dtype != DType::kString) return {};
  return fail(ErrorCode::kInvalidModel, "strings cannot be in ", where, "; they belong in string_data");
}

Result<Tensor> decode_external(const TensorMessage& message, DType dtype, std::int64_t size,
                               const TensorSource& source) {
  STREW_TRY(check_no_strings(dtype, "external data"));
  if (const auto field = other_value_field(message, 0); field != 0) {
    return fail(ErrorCode::kInvalidModel, "it is stored externally and has ", value_field_name(field), " as well");
  }
  if (!source.external_dir) {
    return fail(ErrorCode::kInvalidModel,
                "its external data are rejected: no folder is given (for a model, set external_data_dir)");
  }
  STREW_ASSIGN(const auto& found, open_external_data(message.external_data, *source.external_dir,
                                                     source.links_within, size, source.files));
  return tensor_from_raw(message, dtype, found.bytes, found.owner);
}

Result<Tensor> decode_raw(const TensorMessage& message, DType dtype, std::int64_t size,
                          const TensorSource& source) {
  STREW_TRY(check_no_strings(dtype, "raw_data"));
  if (static_cast<std::uint64_t>(size) != message.raw_data->size()) {
    return fail(ErrorCode::kInvalidModel, "raw_data has ", counted(message.raw_data->size(), "byte"), "; ",
                dtype_name(dtype), " ", message.dims, " needs ", size);
  }
  return tensor_from_raw(message, dtype, *message.raw_data, source.owner);
}

Result<Tensor> decode_values(const TensorMessage& message, const TensorSource& source) {
  if (message.has_segment) return fail(ErrorCode::kUnsupported, "segments are not supported");
  STREW_ASSIGN(const auto& dtype, check_type(message));
  const auto count = checked_element_count("", "it", dtype, message.dims);
  if (!count) return fail(ErrorCode::kInvalidModel, count.error());
  const std::int64_t size = size_bytes(dtype, *count);
  if (message.external) return decode_external(message, dtype, size, source);

  const std::uint32_t home = message.raw_data ? std::uint32_t{kRawData} : typed_field_of(dtype);
  if (const auto field = other_value_field(message, home); field != 0) {
    const bool both = message.raw_data || message.value_counts[home] != 0;
    return both ? fail(ErrorCode::kInvalidModel, "it has both ", value_field_name(home), " and ",
                       value_field_name(field))
                : fail(ErrorCode::kInvalidModel, dtype_name(dtype), " values belong in raw_data or ",
                       value_field_name(home), ", not in ", value_field_name(field));
  }
  if (message.raw_data) return decode_raw(message, dtype, size, source);
  return tensor_from_typed_field(message, dtype, *count);
}

Result<NamedTensor> decode_named(std::span<const std::byte> bytes, const TensorSource& source, bool is_file) {
  TensorMessage message;
  const auto read = read_tensor_message(bytes, message);
  if (!read && is_file) {
    return fail(read.error().code, "neither a .npy file nor an ONNX tensor (", read.error(), ")");
  }
  auto tensor = read ? decode_values(message, source) : Result<Tensor>(fail(read.error()));
  if (tensor) return NamedTensor{std::move(message.name), *std::move(tensor)};
  const std::string who = message.name.empty() ? "tensor" : concat("tensor '", message.name, "'");
  return fail(found_in(who, std::move(tensor).error()));
}

Result<NamedTensor> decode(std::span<const std::byte> bytes, const TensorSource& source, bool is_file) {
  return with_memory([&] { return decode_named(bytes, source, is_file); },  // allocates names and strings
                     [&] {
                       return fail(ErrorCode::kOutOfMemory, "tensor: no memory to read a message of ",
                                   bytes.size(), " bytes");
                     });
}

// Decodes a whole file or all of a stream.
Result<NamedTensor> decode_file(std::span<const std::byte> bytes, const TensorSource& source) {
  if (is_text(bytes)) return fail(ErrorCode::kInvalidModel, "neither a .npy file nor an ONNX tensor but text");
  return decode(bytes, source, true);
}

}  // namespace

std::string_view value_field_name(std::uint32_t field) noexcept {
  if (field == kFloatData) return "float_data";
  if (field == kInt32Data) return "int32_data";
  if (field == kStringData) return "string_data";
  if (field == kInt64Data) return "int64_data";
  if (field == kRawData) return "raw_data";
  if (field == kDoubleData) return "double_data";
  return field == kUint64Data ? "uint64_data" : "";
}

Status read_tensor_message(std::span<const std::byte> bytes, TensorMessage& to) {
  to.bytes = bytes;
  return for_each_field(bytes, [&to](const WireField& field) -> Status {
    const std::uint32_t number = field.number;
    if (number == kSegment) to.has_segment = true;
    if (number == kDims) return read_dims(field, to.dims);
    if (number == kDataType) return field.read(to.data_type);
    if (number == kFloatData) return count_values<float>(field, to);
    if (number == kInt32Data || number == kInt64Data) return count_values<std::int64_t>(field, to);
    if (number == kTensorName) return field.read(to.name);
    if (number == kRawData) return field.read(to.raw_data.emplace());
    if (number == kDoubleData) return count_values<double>(field, to);
    if (number == kUint64Data) return count_values<std::uint64_t>(field, to);
    if (number == kExternalData) return read_external_entry(field, to.external_data);
    if (number == kDataLocation) return read_location(field, to.external);
    if (number != kStringData) return {};
    ++to.value_counts[kStringData];
    std::span<const std::byte> ignored;
    return field.read(ignored);
  });
}

Result<NamedTensor> decode_tensor(std::span<const std::byte> message, const TensorSource& source) {
  return decode(message, source, false);
}

Result<NamedTensor> parse_tensor_pb(std::span<const std::byte> bytes) { return decode_file(bytes, {}); }

Result<NamedTensor> load_tensor_pb(const std::filesystem::path& path) {
  return with_memory_for("the tensor file", [&]() -> Result<NamedTensor> {
    STREW_ASSIGN(const auto& file, FileBytes::open(path));
    auto tensor = decode_file(file->bytes(), {.owner = file, .external_dir = path.parent_path()});
    if (!tensor) return fail(found_in(one_line(path.native()), std::move(tensor).error()));
    return tensor;
  });
}

}  // namespace strew
