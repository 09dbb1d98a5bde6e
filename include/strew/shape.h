// Shape: a short list of int64 values, for dimensions, strides and coordinates.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace strew {

/// The highest rank an operand may have (NumPy's limit as well).
inline constexpr std::int64_t kMaxRank = 64;

/// Dimensions in row-major order. Up to eight are held without an allocation. A Shape holds any numbers;
/// the plan of an operator refuses negative dimensions, overflowing products and ranks above kMaxRank.
class Shape {
 public:
  Shape() noexcept = default;
  Shape(std::initializer_list<std::int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const std::int64_t> dims) {
    for (std::int64_t dim : dims) push_back(dim);
  }
  explicit Shape(const std::vector<std::int64_t>& dims) : Shape(std::span(dims)) {}

  Shape(const Shape&) = default;
  Shape& operator=(const Shape&) = default;
  Shape(Shape&& other) noexcept { *this = std::move(other); }
  /// Leaves `other` empty, of rank 0.
  Shape& operator=(Shape&& other) noexcept {
    rank_ = std::exchange(other.rank_, 0);
    inline_ = other.inline_;
    heap_ = std::exchange(other.heap_, {});
    return *this;
  }
  ~Shape() = default;

  std::int64_t rank() const noexcept { return rank_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(rank_); }
  bool empty() const noexcept { return rank_ == 0; }

  std::int64_t operator[](std::int64_t axis) const noexcept { return data()[axis]; }
  std::int64_t& operator[](std::int64_t axis) noexcept { return data()[axis]; }

  const std::int64_t* data() const noexcept { return heap_.empty() ? inline_.data() : heap_.data(); }
  std::int64_t* data() noexcept { return heap_.empty() ? inline_.data() : heap_.data(); }
  const std::int64_t* begin() const noexcept { return data(); }
  const std::int64_t* end() const noexcept { return data() + rank_; }

  void push_back(std::int64_t dim) {
    const auto at = static_cast<std::size_t>(rank_);
    if (heap_.empty() && at < inline_.size()) {
      inline_[at] = dim;
    } else {
      if (heap_.empty()) heap_.assign(inline_.begin(), inline_.end());
      heap_.push_back(dim);
    }
    ++rank_;
  }

  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::int64_t rank_ = 0;
  std::array<std::int64_t, 8> inline_{};
  std::vector<std::int64_t> heap_;  // all dimensions once there are more than eight
};

/// "[2, 3]", "[]" for a scalar.
std::string to_string(const Shape& shape);

/// The number of elements, 0 where a dimension is 0; -1 where a dimension is negative or the product of the
/// non-zero dimensions passes 2^63 - 1.
std::int64_t element_count(const Shape& shape) noexcept;

/// Row-major strides, in elements, of a dense tensor of this shape. The shape's element_count must not be -1.
Shape dense_strides(const Shape& shape);

}  // namespace strew
