// Shapes with symbols: text, comparison, merging.
#include "onnx/dims.h"

#include "core/error.h"

namespace strew {

std::string to_string(const Dim& dim) {
  constexpr std::size_t kLongestSymbol = 40;  // exporters write formulas of several hundred characters as symbols
  if (dim.value) return concat(*dim.value);
  return dim.symbol.empty() ? "?" : one_line(dim.symbol, kLongestSymbol);
}

std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (axis > 0) text += ", ";
    text += to_string(dims[axis]);
  }
  return text += ']';
}

void append_text(std::string& to, const Dim& dim) { to += to_string(dim); }
void append_text(std::string& to, const Dims& dims) { to += to_string(dims); }

std::string to_string(const ValueInfo& value) {
  if (!value.dtype && !value.shape) return "unknown";
  const std::string type(value.dtype ? dtype_name(*value.dtype) : "unknown type");
  return value.shape ? concat(type, ' ', to_string(*value.shape)) : concat(type, " of unknown rank");
}

std::optional<Shape> known_shape(const Dims& dims) {
  Shape shape;
  for (const Dim& dim : dims) {
    if (!dim.value) return std::nullopt;
    shape.push_back(*dim.value);
  }
  return shape;
}

Dims to_dims(const Shape& shape) {
  Dims dims;
  for (std::int64_t extent : shape) dims.push_back({extent, {}});
  return dims;
}

const Dim& more_known(const Dim& a, const Dim& b) noexcept {
  if (a.value || (!b.value && !a.symbol.empty())) return a;
  return b.value || !b.symbol.empty() ? b : a;
}

bool contradict(const Dim& a, const Dim& b) noexcept { return a.value && b.value && *a.value != *b.value; }

std::optional<std::string> contradiction(const ValueInfo& a, const ValueInfo& b) {
  if (a.dtype && b.dtype && *a.dtype != *b.dtype) {
    return concat("type ", dtype_name(*a.dtype), " against ", dtype_name(*b.dtype));
  }
  if (!a.shape || !b.shape) return std::nullopt;
  if (a.shape->size() != b.shape->size()) {
    return concat("shape ", to_string(*a.shape), " against ", to_string(*b.shape), ": the ranks differ");
  }
  for (std::size_t axis = 0; axis < a.shape->size(); ++axis) {
    if (contradict((*a.shape)[axis], (*b.shape)[axis])) {
      return concat("shape ", to_string(*a.shape), " against ", to_string(*b.shape), ": dimension ", axis,
                    " differs");
    }
  }
  return std::nullopt;
}

void merge(ValueInfo& value, const ValueInfo& other) {
  if (!value.dtype) value.dtype = other.dtype;
  if (!value.shape) {
    value.shape = other.shape;
  } else if (other.shape) {
    for (std::size_t axis = 0; axis < value.shape->size(); ++axis) {
      Dim& dim = (*value.shape)[axis];
      dim = Dim(more_known(dim, (*other.shape)[axis]));
    }
  }
}

}  // namespace strew
