// Writes protobuf messages for tests, field by field, without the library's own reader and writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace strew::testing {

/// Appends fields to a message: `PbfWriter(message).add_int64(1, 8)`.
class PbfWriter {
 public:
  explicit PbfWriter(std::string& to) : to_(to) {}

  void add_int64(std::uint32_t field, std::int64_t value) {
    add_varint(field << 3);
    add_varint(static_cast<std::uint64_t>(value));
  }
  void add_fixed32(std::uint32_t field, std::uint32_t value) {
    add_varint(field << 3 | 5);
    add_memory(&value, sizeof value);
  }
  void add_fixed64(std::uint32_t field, std::uint64_t value) {
    add_varint(field << 3 | 1);
    add_memory(&value, sizeof value);
  }
  void add_float(std::uint32_t field, float value) {
    add_varint(field << 3 | 5);
    add_memory(&value, sizeof value);
  }
  /// Adds a string, bytes or a message.
  void add_bytes(std::uint32_t field, std::string_view bytes) {
    add_varint(field << 3 | 2);
    add_varint(bytes.size());
    to_ += bytes;
  }
  template <class Values>
  void add_packed(std::uint32_t field, const Values& values) {
    std::string packed;
    for (const auto value : values) PbfWriter(packed).add_varint(static_cast<std::uint64_t>(value));
    add_bytes(field, packed);
  }
  template <class Values>
  void add_packed_real(std::uint32_t field, const Values& values) {
    std::string packed;
    for (const auto value : values) PbfWriter(packed).add_memory(&value, sizeof value);
    add_bytes(field, packed);
  }

 private:
  void add_varint(std::uint64_t value) {
    for (; value > 127; value >>= 7) to_ += static_cast<char>(value | 128);
    to_ += static_cast<char>(value);
  }
  void add_memory(const void* from, std::size_t size) { to_.append(static_cast<const char*>(from), size); }

  std::string& to_;
};

/// Returns a message with one field: a string, bytes or a message.
inline std::string message_field(std::uint32_t field, std::string_view bytes) {
  std::string message;
  PbfWriter(message).add_bytes(field, bytes);
  return message;
}

}  // namespace strew::testing
