// Shape arithmetic with overflow checks; checks of ranks, strides, addresses and overlap.
#include "core/view_check.h"

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/size.h"
#include "strew/shape.h"

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

namespace {

struct OffsetRange {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
};

// Returns the lowest and highest element offset; nullopt if one overflows. All dimensions must be positive.
std::optional<OffsetRange> offset_range(const Shape& shape, const Shape& strides) {
  OffsetRange range;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &reach)) return std::nullopt;
    std::int64_t& bound = reach < 0 ? range.lowest : range.highest;
    if (__builtin_add_overflow(bound, reach, &bound)) return std::nullopt;
  }
  return range;
}

// True if fewer than 2^63 bytes lie between the start of the lowest element and the end of the highest.
bool reach_fits(DType dtype, const std::optional<OffsetRange>& range) {
  std::int64_t elements = 0;
  return range && !__builtin_sub_overflow(range->highest, range->lowest, &elements) && elements < INT64_MAX &&
         size_bytes(dtype, elements + 1) >= 0;
}

}  // namespace

Shape strides_of(const TensorView& view) {
  Shape strides = dense_strides(view.shape());
  if (view.dense() || element_count(view.shape()) == 0) return strides;
  for (std::int64_t axis = 0; axis < view.rank(); ++axis) {
    if (view.shape()[axis] != 1) strides[axis] = view.strides()[axis];
  }
  return strides;
}

bool is_contiguous(const TensorView& view) {
  return view.dense() || strides_of(view) == strides_of(TensorView(view.data(), view.dtype(), view.shape()));
}

Result<std::int64_t> check_view(std::string_view op, std::string_view operand, const TensorView& view) {
  const Shape& shape = view.shape();
  const auto reject = [&](ErrorCode code, std::string_view verb, const auto&... text) {
    return fail(code, {op, op.empty() ? op : operand}, Said{operand, verb}, text...);
  };
  if (shape.rank() > kMaxRank) {
    return reject(ErrorCode::kUnsupported, "has", " rank ", shape.rank(), "; the highest is ", kMaxRank);
  }
  STREW_ASSIGN(const auto& count, checked_element_count(op, operand, view.dtype(), shape));
  if (view.span_size() >= 0 && view.span_size() != count) {
    return reject(ErrorCode::kInvalidArgument, "has", " shape ", shape, ", which is ", count,
                  " elements, but the given range has ", view.span_size());
  }
  if (!view.dense()) {
    if (view.strides().rank() != shape.rank()) {
      return reject(ErrorCode::kInvalidArgument, "has", " ", counted(view.strides().rank(), "stride"), " for the ",
                    counted(shape.rank(), "dimension"), " of shape ", shape);
    }
    if (is_packed(view.dtype()) && count > 1 && strides_of(view) != dense_strides(shape)) {
      return reject(ErrorCode::kUnsupported, "is", " a strided view of ", dtype_name(view.dtype()),
                    "; packed types must be dense");
    }
    if (count > 0 && !reach_fits(view.dtype(), offset_range(shape, strides_of(view)))) {
      return reject(ErrorCode::kInvalidArgument, "has", " shape ", shape, " and strides ", view.strides(),
                    ", which reach past 2^63 - 1 bytes");
    }
  }
  if (count > 0 && view.data() == nullptr) {
    return reject(ErrorCode::kInvalidArgument, "has", " shape ", shape, " but a null address");
  }
  if (view.dtype() == DType::kString && count > 0 &&
      reinterpret_cast<std::uintptr_t>(view.data()) % alignof(std::string) != 0) {
    return reject(ErrorCode::kInvalidArgument, "is", " a string tensor at an unaligned address");
  }
  return count;
}

Status check_distinct_elements(std::string_view op, std::string_view operand, const TensorView& output) {
  if (output.dense() || element_count(output.shape()) <= 1) return {};
  // Elements are distinct if the stride of each axis exceeds the reach of all axes with smaller strides.
  const Shape strides = strides_of(output);
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // |stride|, extent
  for (std::int64_t axis = 0; axis < output.rank(); ++axis) {
    const std::int64_t stride = strides[axis];
    if (output.shape()[axis] > 1) axes.emplace_back(stride < 0 ? -stride : stride, output.shape()[axis]);
  }
  std::sort(axes.begin(), axes.end());
  std::int64_t reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (stride <= reach) {
      return fail(ErrorCode::kInvalidArgument, {op, operand}, Said{operand, "has"}, " shape ", output.shape(),
                  " and strides ", output.strides(), ": elements may share memory, so it cannot be written to");
    }
    reach += stride * (extent - 1);
  }
  return {};
}

bool ByteRange::overlaps(const ByteRange& other) const noexcept { return begin < other.end && other.begin < end; }

ByteRange byte_range(const TensorView& view) {
  const std::int64_t count = element_count(view.shape());
  if (count <= 0) return {};
  const auto address = reinterpret_cast<std::uintptr_t>(view.data());
  if (view.dense()) return {address, address + static_cast<std::uintptr_t>(size_bytes(view.dtype(), count))};
  const auto range = offset_range(view.shape(), strides_of(view)).value_or(OffsetRange{});
  const int bits = bit_width(view.dtype());
  if (bits < 8)
    return {address, address + static_cast<std::uintptr_t>(size_bytes(view.dtype(), range.highest + 1))};
  const std::int64_t width = bits / 8;
  return {address + static_cast<std::uintptr_t>(range.lowest * width),
          address + static_cast<std::uintptr_t>((range.highest + 1) * width)};
}

bool is_single_value(const TensorView& view) {
  if (view.dense() || view.strides().rank() != view.rank() || element_count(view.shape()) <= 1) return false;
  for (std::int64_t axis = 0; axis < view.rank(); ++axis) {
    if (view.shape()[axis] != 1 && view.strides()[axis] != 0) return false;
  }
  return true;
}

bool same_tensor(const TensorView& a, const TensorView& b) {
  return a.data() == b.data() && a.dtype() == b.dtype() && a.shape() == b.shape() &&
         ((a.dense() && b.dense()) || strides_of(a) == strides_of(b));
}

}  // namespace strew
