// Shape arithmetic with overflow checks.
#include "strew/shape.h"

#include <ostream>

#include "core/error.h"
#include "core/size.h"

namespace strew {

std::string to_string(const Shape& shape) { return '[' + join(shape, ", ") + ']'; }

std::ostream& operator<<(std::ostream& stream, const Shape& shape) { return stream << to_string(shape); }

std::int64_t element_count(const Shape& shape) noexcept {
  std::int64_t product = 1;
  bool zero = false;
  for (std::int64_t dim : shape) {
    if (dim < 0) return -1;
    if (dim == 0) {
      zero = true;
      continue;
    }
    if (__builtin_mul_overflow(product, dim, &product)) return -1;
  }
  return zero ? 0 : product;
}

Shape dense_strides(const Shape& shape) {
  Shape strides = shape;
  std::int64_t stride = 1;
  for (std::int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

std::int64_t size_bytes(DType dtype, std::int64_t count) noexcept {
  const int bits = bit_width(dtype);
  if (bits < 8) return div_up(count, 8 / bits);
  return __builtin_mul_overflow(count, bits / 8, &count) ? -1 : count;
}

std::int64_t valid_element_count(DType dtype, const Shape& shape) noexcept {
  if (!is_dtype(dtype)) return -1;
  // The product of the non-zero dimensions must not overflow, even in an empty tensor: strides are such products.
  std::int64_t full = 1;
  bool zero = false;
  for (std::int64_t dim : shape) {
    if (dim < 0) return -1;
    zero = zero || dim == 0;
    if (__builtin_mul_overflow(full, std::max<std::int64_t>(dim, 1), &full)) return -1;
  }
  if (size_bytes(dtype, full) < 0) return -1;
  return zero ? 0 : full;
}

Result<std::int64_t> checked_element_count(std::string_view op, std::string_view operand, DType dtype,
                                           const Shape& shape) {
  if (const std::int64_t count = valid_element_count(dtype, shape); count >= 0) return count;
  const std::string_view argument = op.empty() ? op : operand;
  if (!is_dtype(dtype)) {
    return fail(ErrorCode::kInvalidType, {op, argument}, Said{operand, "has"}, " element type number ",
                static_cast<int>(dtype), "; valid numbers are ", kDTypeMin, " to ", kDTypeMax);
  }
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] < 0) {
      return fail(ErrorCode::kInvalidArgument, {op, argument, axis}, Said{operand, "has"}, " shape ", shape,
                  ": dimension ", axis, " is negative");
    }
  }
  return fail(ErrorCode::kInvalidArgument, {op, argument}, Said{operand, "has"}, " shape ", shape,
              ", which is more than 2^63 - 1 bytes of ", dtype_name(dtype));
}

}  // namespace strew
