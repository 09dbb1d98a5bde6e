// Reads and writes one element of any type at a coordinate of a view. The code is simple rather than fast.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "strew/dtype.h"
#include "strew/shape.h"
#include "strew/view.h"

namespace strew::reference {

/// The bits of one element; those of a packed type are right-aligned in the first byte.
struct Element {
  std::array<unsigned char, 16> bytes{};
  std::string text;  // the element of a string tensor; then `bytes` is unused
  friend bool operator==(const Element&, const Element&) = default;
};

/// Returns the number whose bytes the element begins with, and an element that begins with the bytes of a number.
template <class T>
T value_of(const Element& element) {
  T value;
  std::memcpy(&value, element.bytes.data(), sizeof value);
  return value;
}
template <class T>
Element element_of(const T& value) {
  Element element;
  std::memcpy(element.bytes.data(), &value, sizeof value);
  return element;
}

/// Returns the offset from `view.data()` to the element at this coordinate, in elements.
std::int64_t offset_of(const TensorView& view, const Shape& coordinate);

Element read(const TensorView& view, const Shape& coordinate);
void write(const MutableTensorView& view, const Shape& coordinate, const Element& element);

/// A type that holds any int64 or uint64.
__extension__ typedef __int128 Integer;

/// Reads an element of an integer type as a number.
Integer read_integer(const TensorView& view, const Shape& coordinate);

/// Returns body(T{}) for the C++ type T of an integer type.
template <class Body>
auto with_integer(DType dtype, const Body& body) {
  if (dtype == DType::kInt8) return body(std::int8_t{});
  if (dtype == DType::kInt16) return body(std::int16_t{});
  if (dtype == DType::kInt32) return body(std::int32_t{});
  if (dtype == DType::kInt64) return body(std::int64_t{});
  if (dtype == DType::kUInt8) return body(std::uint8_t{});
  if (dtype == DType::kUInt16) return body(std::uint16_t{});
  if (dtype == DType::kUInt32) return body(std::uint32_t{});
  return body(std::uint64_t{});
}

/// Calls `body(coordinate)` for every coordinate of a shape, in row-major order.
template <class Body>
void for_each_coordinate(const Shape& shape, Body body) {
  Shape coordinate = shape;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 0) return;
    coordinate[axis] = 0;
  }
  while (true) {
    body(static_cast<const Shape&>(coordinate));
    std::int64_t axis = shape.rank() - 1;
    while (axis >= 0 && ++coordinate[axis] == shape[axis]) coordinate[axis--] = 0;
    if (axis < 0) return;
  }
}

}  // namespace strew::reference
