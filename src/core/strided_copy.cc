// Copies strided tensors tile by tile. Tiles of a transposed source are square, so that each cache line is loaded
// once.
#include "core/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/size.h"
#include "core/view_check.h"

namespace strew {
namespace {

constexpr std::int64_t kTileElements = 4096;  // smaller tiles add overhead; larger ones are too few for all tasks
constexpr std::int64_t kTransposedBytes = 256;  // bytes of a row of a transposed tile: 64 floats
constexpr std::int64_t kWidest = 16;            // maximum bytes moved as one element

}  // namespace

StridedCopy::StridedCopy(const TensorView& source, void* target, const TensorView& target_view)
    : source_(static_cast<const std::byte*>(source.data())),
      target_(static_cast<std::byte*>(target)),
      dtype_(source.dtype()),
      width_(is_packed(dtype_) ? 1 : bit_width(dtype_) / 8),
      count_(element_count(source.shape())) {
  bytes_ = strew::size_bytes(dtype_, count_);
  if (count_ == 0) return;
  dense_ = dtype_ != DType::kString && source.dense() && target_view.dense();
  if (!dense_) {
    divide(source, target_view);
    return;
  }
  parts_ = bytes_;
  if (is_packed(dtype_)) {
    const auto used = static_cast<unsigned>(count_ % (8 / bit_width(dtype_)) * bit_width(dtype_));
    if (used != 0) padding_ = static_cast<std::byte>(0xFFu << used);
  }
}

void StridedCopy::divide(const TensorView& source, const TensorView& target_view) {
  const Shape from = strides_of(source);
  const Shape to = strides_of(target_view);
  std::array<TileAxis, kMaxRank> axes;
  std::size_t rank = 0;
  for (std::int64_t axis = 0; axis < source.rank(); ++axis) {
    TileAxis here{source.shape()[axis], to[axis], from[axis]};
    if (here.extent == 1) continue;
    if (here.to < 0 && dtype_ != DType::kString) {  // starts from the other end
      target_ += (here.extent - 1) * here.to * width_;
      source_ += (here.extent - 1) * here.from * width_;
      here = {here.extent, -here.to, -here.from};
    }
    axes[rank++] = here;
  }
  if (dtype_ == DType::kString) {
    for (std::size_t a = 0; a < rank; ++a) loop_.push(axes[a].extent, {axes[a].to, axes[a].from});
    parts_ = 1;
    return;
  }
  // Insertion sort by the target's strides, since std::stable_sort would allocate.
  for (auto axis = axes.begin(); axis != axes.begin() + static_cast<std::ptrdiff_t>(rank); ++axis) {
    const auto reaches_farther = [](const TileAxis& a, const TileAxis& b) { return a.to > b.to; };
    std::rotate(std::upper_bound(axes.begin(), axis, *axis, reaches_farther), axis, axis + 1);
  }
  LoopNest<2> all;
  for (std::size_t a = 0; a < rank; ++a) all.push(axes[a].extent, {axes[a].to, axes[a].from});
  const auto axis_at = [&all](std::int64_t axis) {
    const std::size_t a = all.at(axis);
    return TileAxis{all.extent[a], all.stride[a][0], all.stride[a][1]};
  };
  // Moves a few adjacent elements as one.
  if (all.rank > 0) {
    const TileAxis last = axis_at(all.rank - 1);
    const std::int64_t bytes = last.extent <= kWidest ? last.extent * width_ : 0;
    bool whole = last.to == 1 && last.from == 1 && bytes > 0 && bytes <= kWidest && (bytes & (bytes - 1)) == 0;
    for (std::int64_t axis = 0; axis + 1 < all.rank; ++axis) {
      whole = whole && axis_at(axis).to % last.extent == 0 && axis_at(axis).from % last.extent == 0;
    }
    if (whole) {
      --all.rank;
      width_ = bytes;
      for (std::int64_t axis = 0; axis < all.rank; ++axis) {
        for (std::int64_t& stride : all.stride[all.at(axis)]) stride /= last.extent;
      }
    }
  }
  if (all.rank > 0) inner_ = axis_at(all.rank - 1);
  // The outer axis of a tile is the last but one, unless an earlier axis has a smaller non-zero source stride.
  std::int64_t other = all.rank - 2;
  for (std::int64_t axis = all.rank - 2; axis >= 0; --axis) {
    const auto distance = [&](std::int64_t a) { return std::abs(axis_at(a).from); };
    if (distance(axis) != 0 && distance(axis) < distance(other)) other = axis;
  }
  if (other >= 0) outer_ = axis_at(other);
  for (std::int64_t axis = 0; axis + 1 < all.rank; ++axis) {
    if (axis != other) loop_.push(axis_at(axis).extent, {axis_at(axis).to, axis_at(axis).from});
  }
  const bool transposed = other >= 0 && outer_.from != 0 && std::abs(outer_.from) < std::abs(inner_.from);
  const std::int64_t side = std::clamp<std::int64_t>(kTransposedBytes / width_, 16, 64);
  inner_step_ = std::min(inner_.extent, transposed ? side : kTileElements);
  outer_step_ = std::min(outer_.extent, kTileElements / inner_step_);
  if (transposed && inner_step_ == side) outer_step_ = std::min(outer_.extent, side);
  parts_ = loop_.count() * div_up(outer_.extent, outer_step_) * div_up(inner_.extent, inner_step_);
}

void StridedCopy::run(std::int64_t begin, std::int64_t end) const {
  if (begin >= end) return;
  if (dense_) return run_bytes(begin, end);
  if (dtype_ == DType::kString) return run_strings();
  const CopyTile copy = copy_tile(width_);
  const std::int64_t across = div_up(inner_.extent, inner_step_);
  const std::int64_t tiles = across * div_up(outer_.extent, outer_step_);
  LoopWalk<2> walk(loop_, begin / tiles);
  std::int64_t tile = begin % tiles;
  for (std::int64_t part = begin; part < end; ++part) {
    const std::int64_t i = tile / across * outer_step_;
    const std::int64_t j = tile % across * inner_step_;
    TileAxis outer{std::min(outer_step_, outer_.extent - i), outer_.to, outer_.from};
    TileAxis inner{std::min(inner_step_, inner_.extent - j), inner_.to, inner_.from};
    std::byte* to = target_ + (walk.offset()[0] + i * outer_.to + j * inner_.to) * width_;
    const std::byte* from = source_ + (walk.offset()[1] + i * outer_.from + j * inner_.from) * width_;
    if (inner.extent < 8 && inner.extent < outer.extent) std::swap(outer, inner);  // prefers few long rows
    copy(to, from, outer, inner);
    if (++tile == tiles) {
      tile = 0;
      walk.advance(1);
    }
  }
}

void StridedCopy::run_bytes(std::int64_t begin, std::int64_t end) const {
  const std::byte last = target_[end - 1];
  std::memcpy(target_ + begin, source_ + begin, static_cast<std::size_t>(end - begin));
  if (padding_ != std::byte{0} && end == parts_) {
    std::byte& mixed = target_[end - 1];
    mixed = (last & padding_) | (mixed & ~padding_);
  }
}

void StridedCopy::run_strings() const {
  auto* to = reinterpret_cast<std::string*>(target_);
  const auto* from = reinterpret_cast<const std::string*>(source_);
  LoopWalk<2> walk(loop_, 0);
  for (std::int64_t i = 0; i < count_; ++i, walk.advance(1)) to[walk.offset()[0]] = from[walk.offset()[1]];
}

}  // namespace strew
