// Reads the fields of a TensorProto.
#include "onnx/tensor_message.h"

#include <utility>

#include "core/error.h"
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
    return fail(ErrorCode::kInvalidModel, "data_location is ", location, "; it is 0 (default) or 1 (external)");
  }
  external = location == 1;
  return {};
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

}  // namespace strew
