// Shape: a short list of int64 values, for dimensions, strides and coordinates.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "strew/export.h"
#include "strew/inline_vector.h"

STREW_API_BEGIN
namespace strew {

/// Maximum rank of an operand, the same as NumPy's.
inline constexpr std::int64_t kMaxRank = 64;

/// One number for each axis; up to eight axes need no allocation. A Shape may hold any numbers; plans reject
/// negative dimensions, overflowing products and ranks above kMaxRank.
class Shape {
 public:
  Shape() noexcept = default;
  Shape(std::initializer_list<std::int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const std::int64_t> dims) {
    for (std::int64_t dim : dims) push_back(dim);
  }
  explicit Shape(const std::vector<std::int64_t>& dims) : Shape(std::span(dims)) {}
  template <class T>
  requires(!std::is_same_v<T, std::int64_t>) Shape(const std::vector<T>& dims)
  = delete;  // dimensions are std::int64_t: pass a std::vector<std::int64_t>

  std::int64_t rank() const noexcept { return dims_.size(); }
  bool empty() const noexcept { return dims_.empty(); }

  std::int64_t operator[](std::int64_t axis) const noexcept { return dims_[axis]; }
  std::int64_t& operator[](std::int64_t axis) noexcept { return dims_[axis]; }

  const std::int64_t* data() const noexcept { return dims_.data(); }
  std::int64_t* data() noexcept { return dims_.data(); }
  const std::int64_t* begin() const noexcept { return dims_.begin(); }
  const std::int64_t* end() const noexcept { return dims_.end(); }
  std::int64_t front() const noexcept { return dims_.front(); }

  void push_back(std::int64_t dim) { dims_.push_back(dim); }

  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    if (a.rank() != b.rank()) return false;
    for (std::int64_t axis = 0; axis < a.rank(); ++axis) {  // memcmp is slower for a few axes
      if (a[axis] != b[axis]) return false;
    }
    return true;
  }

 private:
  detail::InlineVector<std::int64_t, 8> dims_;
};

/// Returns "[2, 3]", or "[]" for a scalar.
std::string to_string(const Shape& shape);
std::ostream& operator<<(std::ostream& stream, const Shape& shape);

/// Returns the number of elements; -1 if a dimension is negative or the non-zero ones multiply to 2^63 or more.
std::int64_t element_count(const Shape& shape) noexcept;

/// Returns the row-major strides, in elements, of a dense tensor. element_count(shape) must not be -1.
Shape dense_strides(const Shape& shape);

}  // namespace strew
STREW_API_END
