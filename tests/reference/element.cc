#include "reference/element.h"

#include <cstring>

namespace strew::reference {
namespace {

unsigned packed_mask(int bits) { return (1u << bits) - 1u; }

}  // namespace

std::int64_t offset_of(const TensorView& view, const Shape& coordinate) {
  std::int64_t offset = 0;
  for (std::int64_t axis = 0; axis < view.rank(); ++axis) {
    if (view.dense()) {
      offset = offset * view.shape()[axis] + coordinate[axis];
    } else {
      offset += coordinate[axis] * view.strides()[axis];
    }
  }
  return offset;
}

Element read(const TensorView& view, const Shape& coordinate) {
  const std::int64_t at = offset_of(view, coordinate);
  const int bits = bit_width(view.dtype());
  Element element;
  if (view.dtype() == DType::kString) {
    element.text = static_cast<const std::string*>(view.data())[at];
  } else if (bits < 8) {
    const unsigned byte = static_cast<const unsigned char*>(view.data())[at * bits / 8];
    element.bytes[0] = static_cast<unsigned char>((byte >> (at * bits % 8)) & packed_mask(bits));
  } else {
    std::memcpy(element.bytes.data(), static_cast<const unsigned char*>(view.data()) + at * (bits / 8),
                static_cast<std::size_t>(bits / 8));
  }
  return element;
}

void write(const MutableTensorView& view, const Shape& coordinate, const Element& element) {
  const std::int64_t at = offset_of(view, coordinate);
  const int bits = bit_width(view.dtype());
  if (view.dtype() == DType::kString) {
    static_cast<std::string*>(view.data())[at] = element.text;
  } else if (bits < 8) {
    unsigned char& byte = static_cast<unsigned char*>(view.data())[at * bits / 8];
    const auto shift = static_cast<int>(at * bits % 8);
    const unsigned others = byte & ~(packed_mask(bits) << shift);
    byte = static_cast<unsigned char>(others | (static_cast<unsigned>(element.bytes[0]) << shift));
  } else {
    std::memcpy(static_cast<unsigned char*>(view.data()) + at * (bits / 8), element.bytes.data(),
                static_cast<std::size_t>(bits / 8));
  }
}

Integer read_integer(const TensorView& view, const Shape& coordinate) {
  const Element element = read(view, coordinate);
  return with_integer(view.dtype(), [&]<class T>(T) { return static_cast<Integer>(value_of<T>(element)); });
}

}  // namespace strew::reference
