// OffsetBlock: the offsets of the next positions of a walk, in a list that stays in the first-level cache.
#pragma once

#include <algorithm>
#include <array>

#include "core/parallel.h"
#include "engine/geometry.h"
#include "index/resolve.h"
#include "kernel/keep.h"
#include "kernel/progression.h"

namespace strew {

/// Filled by a walk over positions and emptied by kernels from the front; what is still in it tells which
/// addresses come next.
class OffsetBlock {
 public:
  static constexpr std::int64_t kRun = 512;    ///< positions that are resolved at once
  static constexpr std::int64_t kAhead = 256;  ///< the most that may be kept to look ahead

  /// `positions` says whether position offsets are wanted; else `position()` is nullptr. `prefetch_indices`: see
  /// Prefetch::indices.
  OffsetBlock(bool positions, bool prefetch_indices) noexcept
      : positions_(positions), prefetch_indices_(prefetch_indices) {}

  std::int64_t count() const noexcept { return count_; }
  const std::int64_t* data() const noexcept { return data_.data(); }
  const std::int64_t* position(std::int64_t i) const noexcept {
    return positions_ ? position_.data() + i : nullptr;
  }

  /// Appends up to kRun of the positions left in `walk` and returns how many it walked over. Those whose data
  /// offset is outside `owned` (nullptr: none are) are left out. There must be room for kRun. `one_run`: not
  /// beyond the end of the innermost axis.
  std::int64_t append(const Geometry& geometry, const IndexResolver& resolver, LoopWalk<3>& walk,
                      std::int64_t left, const Range* owned, bool one_run) noexcept {
    std::int64_t* data = data_.data() + count_;
    std::int64_t* position = position_.data() + count_;
    const std::int64_t index_stride = geometry.loop.inner_stride(kIndex);
    const std::int64_t index = walk.offset()[kIndex];
    std::int64_t run = std::min({walk.run(), left, kRun});
    std::int64_t runs = 1;
    // Short runs whose indices follow each other are resolved together.
    if (!one_run && walk.run() < kRun && indices_follow(geometry)) {
      runs = std::clamp<std::int64_t>(std::min(left, kRun) / run, 1, std::max<std::int64_t>(walk.whole_runs(), 1));
    }
    const std::int64_t count = runs * run;
    resolver.resolve(index, index_stride, count, data);
    // Else the processor's own look ahead ends here and begins anew with the next block.
    if (prefetch_indices_) resolver.prefetch(index + count * index_stride, index_stride, count);
    add_bases(geometry, walk.offset(), runs, run, data, position);
    if (run == walk.run() && walk.whole_runs() >= runs) {
      walk.advance_runs(runs);
    } else {
      walk.advance(run);
    }
    count_ += owned == nullptr ? count : keep_inside()(owned->begin, owned->end, data, position, count);
    return count;
  }

  /// Forgets the first `count` positions.
  void drop(std::int64_t count) noexcept {
    count_ -= count;
    std::copy_n(data_.data() + count, count_, data_.data());
    if (positions_) std::copy_n(position_.data() + count, count_, position_.data());
  }

 private:
  // Whether the indices of a run begin where those of the run before it end.
  static bool indices_follow(const Geometry& geometry) noexcept {
    if (geometry.loop.rank < 2) return false;
    const std::size_t inner = geometry.loop.at(geometry.loop.rank - 1);
    return geometry.loop.stride[inner - 1][kIndex] ==
           geometry.loop.stride[inner][kIndex] * geometry.loop.extent[inner];
  }

  // What the loop adds to the offsets that tuples choose, and where the positions lie.
  void add_bases(const Geometry& geometry, const LoopNest<3>::Offsets& offset, std::int64_t runs, std::int64_t run,
                 std::int64_t* data, std::int64_t* position) const noexcept {
    const std::int64_t data_stride = geometry.loop.inner_stride(kData);
    const std::int64_t position_stride = geometry.loop.inner_stride(kPosition);
    LoopNest<3>::Offsets between{};  // runs
    if (runs > 1) between = geometry.loop.stride[geometry.loop.at(geometry.loop.rank - 2)];
    const bool adds = offset[kData] != 0 || data_stride != 0 || between[kData] != 0;
    if (adds) progression_.add(data, runs, run, {offset[kData], data_stride, between[kData]});
    if (positions_) {
      progression_.write(position, runs, run, {offset[kPosition], position_stride, between[kPosition]});
    }
  }

  ProgressionLoops progression_ = progression_loops();
  bool positions_;
  bool prefetch_indices_;
  std::int64_t count_ = 0;
  std::array<std::int64_t, 2 * kRun + kAhead> data_;
  std::array<std::int64_t, 2 * kRun + kAhead> position_;
};

}  // namespace strew
