// Reads the fields of a protobuf message.
#include "onnx/wire.h"

#include <array>
#include <cstring>

namespace strew {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX files are little-endian and are not converted");

constexpr std::uint64_t kLargestTag = 0xFFFFFFFF;
constexpr std::size_t kLongestVarint = 10;
constexpr std::array<std::string_view, 6> kTypeNames = {"a varint", "8 bytes", "length-delimited",
                                                        "",         "",        "4 bytes"};

tl::unexpected<Error> wrong_type(const WireField& field, WireType expected) {
  return fail(ErrorCode::kInvalidModel, "field ", field.number, " is stored as ",
              kTypeNames[static_cast<std::size_t>(field.type)], ", not as ",
              kTypeNames[static_cast<std::size_t>(expected)]);
}

}  // namespace

Status WireField::read(std::int64_t& value) const {
  if (type != WireType::kVarint) return wrong_type(*this, WireType::kVarint);
  value = detail::from_wire<std::int64_t>(bits);
  return {};
}

Status WireField::read(float& value) const {
  if (type != WireType::kFixed32) return wrong_type(*this, WireType::kFixed32);
  value = detail::from_wire<float>(bits);
  return {};
}

Status WireField::read(std::string& value) const {
  if (type != WireType::kBytes) return wrong_type(*this, WireType::kBytes);
  value.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return {};
}

Status WireField::read(std::span<const std::byte>& value) const {
  if (type != WireType::kBytes) return wrong_type(*this, WireType::kBytes);
  value = bytes;
  return {};
}

Result<std::int64_t> WireField::count_values(WireType scalar) const {
  if (type == scalar) return 1;
  if (type != WireType::kBytes) return wrong_type(*this, scalar);
  if (scalar == WireType::kVarint) {  // a varint ends with its first byte below 128
    return std::count_if(bytes.begin(), bytes.end(), [](std::byte b) { return b < std::byte{128}; });
  }
  const std::size_t width = scalar == WireType::kFixed32 ? 4 : 8;
  if (bytes.size() % width != 0) {
    return fail(ErrorCode::kInvalidModel, "field ", number, " has ", bytes.size(),
                " bytes of packed values, which is not a multiple of ", width);
  }
  return static_cast<std::int64_t>(bytes.size() / width);
}

Status WireReader::take_varint(std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < kLongestVarint; ++i) {
    if (i == left()) {
      return fail(ErrorCode::kInvalidModel, "byte ", at_, ": a varint extends past the end of the message");
    }
    const auto byte = std::to_integer<std::uint64_t>(message_[at_ + i]);
    value |= (byte & 127) << (7 * i);
    if (byte < 128) {
      at_ += i + 1;
      return {};
    }
  }
  return fail(ErrorCode::kInvalidModel, "byte ", at_, ": a varint has more than ", kLongestVarint, " bytes");
}

Status WireReader::take_fixed(std::size_t width, std::uint64_t& value) {
  if (left() < width) {
    return fail(ErrorCode::kInvalidModel, "byte ", at_, ": a value of ", width,
                " bytes extends past the end of the message");
  }
  value = 0;
  std::memcpy(&value, message_.data() + at_, width);
  at_ += width;
  return {};
}

Status WireReader::take_bytes(std::span<const std::byte>& value) {
  const std::size_t start = at_;
  std::uint64_t length = 0;
  STREW_TRY(take_varint(length));
  if (length > left()) {
    return fail(ErrorCode::kInvalidModel, "byte ", start, ": the length is ", length, ", but only ", left(),
                " bytes are left");
  }
  value = message_.subspan(at_, static_cast<std::size_t>(length));
  at_ += value.size();
  return {};
}

Result<bool> WireReader::next(WireField& field) {
  if (left() == 0) return false;
  const std::size_t start = at_;
  std::uint64_t tag = 0;
  STREW_TRY(take_varint(tag));
  if (tag > kLargestTag || tag >> 3 == 0) {
    return fail(ErrorCode::kInvalidModel, "byte ", start, ": ", tag >> 3, " is not a field number");
  }
  field = {};
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  const auto take_value = [&]() -> Status {
    if (field.type == WireType::kVarint) return take_varint(field.bits);
    if (field.type == WireType::kFixed64) return take_fixed(8, field.bits);
    if (field.type == WireType::kBytes) return take_bytes(field.bytes);
    if (field.type == WireType::kFixed32) return take_fixed(4, field.bits);
    return fail(ErrorCode::kInvalidModel, "byte ", start, ": wire type ", tag & 7, " is not allowed");
  };
  const Status taken = take_value();
  if (!taken) return fail(ErrorCode::kInvalidModel, "field ", field.number, ": ", taken.error());
  return true;
}

Result<bool> WireReader::next_value(WireType scalar, std::uint64_t& bits) {
  if (left() == 0) return false;
  if (scalar == WireType::kVarint) {
    STREW_TRY(take_varint(bits));
  } else {
    STREW_TRY(take_fixed(scalar == WireType::kFixed32 ? 4 : 8, bits));
  }
  return true;
}

}  // namespace strew
