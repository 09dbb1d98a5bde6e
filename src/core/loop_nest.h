// LoopNest: the axes of a loop over N strided operands, and an iterator over them. No element is accessed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "strew/shape.h"

namespace strew {

/// The axes of a row-major loop, outermost first, with the strides of each operand in elements.
template <std::size_t N>
struct LoopNest {
  using Offsets = std::array<std::int64_t, N>;

  std::int64_t rank = 0;
  std::array<std::int64_t, kMaxRank> extent;
  std::array<Offsets, kMaxRank> stride;

  /// Adds an innermost axis; joins it with the previous one if the strides of all operands allow it.
  void push(std::int64_t axis_extent, const Offsets& axis_stride) noexcept {
    if (axis_extent == 1) return;
    if (rank > 0 && joins(at(rank - 1), axis_extent, axis_stride)) {
      extent[at(rank - 1)] *= axis_extent;
      stride[at(rank - 1)] = axis_stride;
      return;
    }
    extent[at(rank)] = axis_extent;
    stride[at(rank)] = axis_stride;
    ++rank;
  }

  std::int64_t count() const noexcept {
    std::int64_t product = 1;
    for (std::int64_t axis = 0; axis < rank; ++axis) product *= extent[at(axis)];
    return product;
  }

  /// Stride of operand `n` along the innermost axis; 0 if there are no axes.
  std::int64_t inner_stride(std::size_t n) const noexcept { return rank == 0 ? 0 : stride[at(rank - 1)][n]; }

  static std::size_t at(std::int64_t axis) noexcept { return static_cast<std::size_t>(axis); }

 private:
  bool joins(std::size_t outer, std::int64_t inner_extent, const Offsets& inner_stride) const noexcept {
    for (std::size_t n = 0; n < N; ++n) {
      if (stride[outer][n] != inner_stride[n] * inner_extent) return false;
    }
    return true;
  }
};

/// An iterator of a LoopNest that advances in runs along the innermost axis. Only the constructor divides.
template <std::size_t N>
class LoopWalk {
 public:
  using Offsets = typename LoopNest<N>::Offsets;

  /// Starts at a position in row-major order, which must be below `nest.count()`.
  LoopWalk(const LoopNest<N>& nest, std::int64_t position) noexcept : nest_(&nest) {
    for (std::int64_t axis = nest.rank - 1; axis >= 0; --axis) {
      const std::size_t a = nest.at(axis);
      coordinate_[a] = position % nest.extent[a];
      position /= nest.extent[a];
      for (std::size_t n = 0; n < N; ++n) offset_[n] += coordinate_[a] * nest.stride[a][n];
    }
  }

  const Offsets& offset() const noexcept { return offset_; }

  /// Number of positions left on the innermost axis, including this one.
  std::int64_t run() const noexcept {
    if (nest_->rank == 0) return 1;
    const std::size_t inner = nest_->at(nest_->rank - 1);
    return nest_->extent[inner] - coordinate_[inner];
  }

  /// Number of whole runs left on the second innermost axis, including this one; 0 inside a run or if rank < 2.
  std::int64_t whole_runs() const noexcept {
    if (nest_->rank < 2 || coordinate_[nest_->at(nest_->rank - 1)] != 0) return 0;
    const std::size_t outer = nest_->at(nest_->rank - 2);
    return nest_->extent[outer] - coordinate_[outer];
  }

  /// Advances by `count` positions, at most `run()`.
  void advance(std::int64_t count) noexcept { advance_along(nest_->rank - 1, count); }

  /// Advances by `count` runs, at most `whole_runs()`.
  void advance_runs(std::int64_t count) noexcept { advance_along(nest_->rank - 2, count); }

 private:
  void advance_along(std::int64_t axis, std::int64_t count) noexcept {
    for (; axis >= 0; --axis) {
      const std::size_t a = nest_->at(axis);
      coordinate_[a] += count;
      for (std::size_t n = 0; n < N; ++n) offset_[n] += count * nest_->stride[a][n];
      if (coordinate_[a] < nest_->extent[a] || axis == 0) return;
      for (std::size_t n = 0; n < N; ++n) offset_[n] -= coordinate_[a] * nest_->stride[a][n];
      coordinate_[a] = 0;
      count = 1;
    }
  }

  const LoopNest<N>* nest_;
  Offsets offset_{};
  std::array<std::int64_t, kMaxRank> coordinate_;
};

}  // namespace strew
