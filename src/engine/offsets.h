// OffsetBlock: the offsets of the next positions of a walk, in a list that stays in the first-level cache.
#pragma once

#include <algorithm>
#include <array>

#include "core/parallel.h"
#include "engine/geometry.h"
#include "index/resolve.h"
#include "kernel/keep.h"

namespace strew {

/// Filled by a walk over positions and emptied by kernels from the front; what is still in it tells which
/// addresses come next.
class OffsetBlock {
 public:
  static constexpr std::int64_t kRun = 512;    ///< positions that are resolved at once
  static constexpr std::int64_t kAhead = 256;  ///< the most that may be kept to look ahead

  /// `positions` says whether position offsets are wanted; else `position()` is nullptr.
  explicit OffsetBlock(bool positions) noexcept : positions_(positions) {}

  std::int64_t count() const noexcept { return count_; }
  const std::int64_t* data() const noexcept { return data_.data(); }
  const std::int64_t* position(std::int64_t i) const noexcept {
    return positions_ ? position_.data() + i : nullptr;
  }

  /// Appends up to kRun of the positions left in `walk` and returns how many it walked over. Those whose data
  /// offset is outside `owned` (nullptr: none are) are left out. There must be room for kRun.
  std::int64_t append(const Geometry& geometry, const IndexResolver& resolver, LoopWalk<3>& walk,
                      std::int64_t left, const Range* owned) noexcept {
    const std::int64_t count = std::min({walk.run(), left, kRun});
    const auto& offset = walk.offset();
    std::int64_t* data = data_.data() + count_;
    std::int64_t* position = position_.data() + count_;
    resolver.resolve(offset[kIndex], geometry.loop.inner_stride(kIndex), count, data);
    const std::int64_t data_stride = geometry.loop.inner_stride(kData);
    const std::int64_t position_stride = geometry.loop.inner_stride(kPosition);
    if (offset[kData] != 0 || data_stride != 0) {
      for (std::int64_t i = 0; i < count; ++i) data[i] += offset[kData] + i * data_stride;
    }
    if (positions_) {
      for (std::int64_t i = 0; i < count; ++i) position[i] = offset[kPosition] + i * position_stride;
    }
    count_ += owned == nullptr ? count : keep_inside()(owned->begin, owned->end, data, position, count);
    walk.advance(count);
    return count;
  }

  /// Forgets the first `count` positions.
  void drop(std::int64_t count) noexcept {
    count_ -= count;
    std::copy_n(data_.data() + count, count_, data_.data());
    if (positions_) std::copy_n(position_.data() + count, count_, position_.data());
  }

 private:
  bool positions_;
  std::int64_t count_ = 0;
  std::array<std::int64_t, 2 * kRun + kAhead> data_;
  std::array<std::int64_t, 2 * kRun + kAhead> position_;
};

}  // namespace strew
