// Reads the fields of a protobuf message safely: malformed bytes cause an Error.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "core/error.h"
#include "core/utf8.h"

namespace strew {

inline constexpr std::int64_t kLargestMessage = INT32_MAX;  ///< bytes; protobuf's limit for any message

/// True if the bytes are UTF-8 text. Models and tensors are not: their first fields begin with control characters.
inline bool is_text(std::span<const std::byte> bytes) {
  const auto is_printed = [](std::byte b) {
    return b >= std::byte{' '} || (b >= std::byte{'\t'} && b <= std::byte{'\r'});
  };
  return !bytes.empty() && std::ranges::all_of(bytes, is_printed) &&
         is_utf8({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Encoding of a field's value. Other numbers are errors.
enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// One field of a message. Each `read` fails if the wire type does not match, and otherwise overwrites its
/// argument: if a singular field occurs more than once, the last occurrence counts, as protobuf requires.
class WireField {
 public:
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t bits = 0;            ///< value of a varint or fixed field
  std::span<const std::byte> bytes;  ///< value of kBytes: a view into the message

  Status read(std::int64_t& value) const;  ///< int32, int64, enumerations, bool
  Status read(float& value) const;
  Status read(std::string& value) const;                 ///< string and bytes, copied
  Status read(std::span<const std::byte>& value) const;  ///< bytes and messages, as a view

  /// Returns the number of values of a repeated scalar in this field; 1 if the field is not packed. T is as in
  /// `for_each_value`. Allocates nothing, so a caller can reject the number before allocating memory.
  template <class T>
  Result<std::int64_t> value_count() const;

  /// Calls `visit(T)` for each value of a repeated scalar, packed or not: T is int64_t (for int32, int64 and
  /// enumerations), uint64_t, float or double.
  template <class T, class Visit>
  Status for_each_value(Visit&& visit) const;

 private:
  Result<std::int64_t> count_values(WireType scalar) const;
};

/// Iterates over the fields of a message, which must outlive the reader. Neither recurses nor allocates.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> message) noexcept : message_(message) {}

  /// Reads the next field. Returns false at the end of the message.
  Result<bool> next(WireField& field);
  /// Reads the next value of a packed field, stored as `scalar`, into `bits`. Returns false at the end.
  Result<bool> next_value(WireType scalar, std::uint64_t& bits);

 private:
  Status take_varint(std::uint64_t& value);
  Status take_fixed(std::size_t width, std::uint64_t& value);
  Status take_bytes(std::span<const std::byte>& value);
  std::size_t left() const noexcept { return message_.size() - at_; }

  std::span<const std::byte> message_;
  std::size_t at_ = 0;
};

/// Calls `visit(const WireField&)`, which returns a Status, for every field in order, and stops at the first
/// error. `visit` ignores a field by returning success.
template <class Visit>
Status for_each_field(std::span<const std::byte> message, Visit&& visit) {
  WireReader reader(message);
  WireField field;
  for (;;) {
    STREW_ASSIGN(const auto& more, reader.next(field));
    if (!more) return {};
    STREW_TRY(visit(static_cast<const WireField&>(field)));
  }
}

namespace detail {
template <class T>
inline constexpr WireType kWireTypeOf = std::is_same_v<T, float>    ? WireType::kFixed32
                                        : std::is_same_v<T, double> ? WireType::kFixed64
                                                                    : WireType::kVarint;
template <class T>
T from_wire(std::uint64_t bits) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else {
    return std::bit_cast<T>(bits);
  }
}
}  // namespace detail

template <class T>
Result<std::int64_t> WireField::value_count() const {
  return count_values(detail::kWireTypeOf<T>);
}

template <class T, class Visit>
Status WireField::for_each_value(Visit&& visit) const {
  constexpr WireType scalar = detail::kWireTypeOf<T>;
  if (type == scalar) {
    visit(detail::from_wire<T>(bits));
    return {};
  }
  STREW_TRY(count_values(scalar));
  WireReader reader(bytes);
  for (std::uint64_t value = 0;;) {
    const auto more = reader.next_value(scalar, value);
    if (!more) return fail(ErrorCode::kInvalidModel, "field ", number, ": ", more.error());
    if (!*more) return {};
    visit(detail::from_wire<T>(value));
  }
}

}  // namespace strew
