// OffsetBlock: a queue in L1 of the offsets of the next positions of a walk.
#pragma once

#include <algorithm>
#include <array>

#include "core/parallel.h"
#include "core/prefetch.h"
#include "engine/geometry/geometry.h"
#include "index/resolve.h"
#include "kernel/kernel.h"

namespace strew {

/// A walk over positions appends offsets, and kernels consume them from the front. Memory at the remaining offsets
/// is prefetched.
class OffsetBlock {
 public:
  static constexpr std::int64_t kRun = 512;    ///< positions resolved at a time
  static constexpr std::int64_t kAhead = 256;  ///< maximum number of offsets kept for prefetching
  /// The owner aligns a list to cache lines: accesses to vectors that straddle two lines take twice as long.
  using List = std::array<std::int64_t, kRun + kAhead>;

  /// The memory of the operand kPosition, and its element size in bytes.
  struct Side {
    const std::byte* address;
    std::int64_t width;
  };

  /// The caller owns the lists, since a stack frame with both would be too large. If `position` is nullptr,
  /// position offsets are not stored. `prefetch_indices`: see PrefetchPlan::indices. `drops`: see Work::drops.
  OffsetBlock(Side side, std::int64_t* data, std::int64_t* position, bool prefetch_indices, bool drops) noexcept
      : side_(side), data_(data), position_(position), prefetch_indices_(prefetch_indices), drops_(drops) {}

  std::int64_t count() const noexcept { return count_; }
  /// True if `append` may be called for `most` positions.
  bool fits(std::int64_t most) const noexcept { return count_ <= kRun + kAhead - most; }
  const std::int64_t* data() const noexcept { return data_; }
  const std::int64_t* position(std::int64_t i) const noexcept {
    return position_ != nullptr ? position_ + i : nullptr;
  }

  /// Appends the next positions of `walk`, at most kRun and at most `left`. There must be room for them (`fits`).
  /// Returns the number of positions passed. If `drops_`, leaves out positions that resolve to kDroppedOffset.
  /// `most_runs`: maximum number of short runs along the innermost axis.
  std::int64_t append(const Geometry& geometry, const IndexResolver& resolver, LoopWalk<3>& walk,
                      std::int64_t left, std::int64_t most_runs = kRun) noexcept {
    std::int64_t* data = data_ + count_;
    std::int64_t* position = position_ != nullptr ? position_ + count_ : nullptr;
    Runs runs{std::min({walk.run(), left, kRun})};
    if (geometry.loop.rank > 0) runs.step = geometry.loop.stride[geometry.loop.at(geometry.loop.rank - 1)];
    const bool tiles = runs.step[kIndex] == 1 && resolver.has_tiles();
    // Short runs are resolved together if possible.
    if (runs.length == walk.run() && runs.length < kRun && walk.whole_runs() > 1) {
      const auto& between = geometry.loop.stride[geometry.loop.at(geometry.loop.rank - 2)];
      if (tiles || between[kIndex] == runs.step[kIndex] * runs.length) {
        const std::int64_t fitting = std::min(std::min(left, kRun) / runs.length, most_runs);
        runs.count = std::clamp<std::int64_t>(fitting, 1, walk.whole_runs());
        runs.between = between;
      }
    }
    if (tiles) {
      resolve_tile(resolver, walk.offset(), runs, data);
    } else {
      resolve_and_add(resolver, walk.offset(), runs, data);
    }
    if (position != nullptr) {
      if (prefetch_indices_ && runs.step[kPosition] == 1) prefetch_side(walk.offset()[kPosition], runs);
      progression_.write(position, runs.count, runs.length,
                         {walk.offset()[kPosition], runs.step[kPosition], runs.between[kPosition]});
    }
    if (runs.length == walk.run() && walk.whole_runs() >= runs.count) {
      walk.advance_runs(runs.count);
    } else {
      walk.advance(runs.length);
    }
    const std::int64_t count = runs.count * runs.length;
    count_ += drops_ ? compact_in_range()(kLowestOffset, kHighestOffset, data, position, count) : count;
    return count;
  }

  /// Removes the first `count` positions.
  void drop(std::int64_t count) noexcept {
    count_ -= count;
    std::copy_n(data_ + count, count_, data_);
    if (position_ != nullptr) std::copy_n(position_ + count, count_, position_);
  }

 private:
  // Runs of equal length along the innermost axis, with the steps of operands within and between runs.
  struct Runs {
    std::int64_t length;
    std::int64_t count = 1;
    LoopNest<3>::Offsets step{};
    LoopNest<3>::Offsets between{};
  };

  void resolve_tile(const IndexResolver& resolver, const LoopNest<3>::Offsets& from, const Runs& runs,
                    std::int64_t* data) const noexcept {
    const std::int64_t row_stride_values = runs.count > 1 ? runs.between[kIndex] : runs.length;
    resolver.resolve_tile({.first = from[kIndex],
                           .row_stride_values = row_stride_values,
                           .rows = runs.count,
                           .columns = runs.length,
                           .base = from[kData],
                           .row_step_elements = runs.between[kData],
                           .column_step_elements = runs.step[kData],
                           .ahead_values = prefetch_indices_ ? runs.count * row_stride_values : 0},
                          data);
  }

  // Resolves index values that resolve_tile does not support.
  void resolve_and_add(const IndexResolver& resolver, const LoopNest<3>::Offsets& from, const Runs& runs,
                       std::int64_t* data) const noexcept {
    const std::int64_t count = runs.count * runs.length;
    resolver.resolve(from[kIndex], runs.step[kIndex], count, data);
    // Prefetches the next values, since the hardware prefetcher stops at the end of these.
    if (prefetch_indices_) resolver.prefetch(from[kIndex] + count * runs.step[kIndex], runs.step[kIndex], count);
    if (from[kData] != 0 || runs.step[kData] != 0 || runs.between[kData] != 0) {
      progression_.add(data, runs.count, runs.length, {from[kData], runs.step[kData], runs.between[kData]});
    }
  }

  // Prefetches the next parts of rows, since the hardware prefetcher stops at the end of each part.
  void prefetch_side(std::int64_t from, const Runs& runs) const noexcept {
    if (runs.between[kPosition] == runs.length) return;
    for (std::int64_t r = runs.count; runs.count > 1 && r < 2 * runs.count; ++r) {
      prefetch_to_l2(side_.address + (from + r * runs.between[kPosition]) * side_.width,
                     runs.length * side_.width);
    }
  }

  ProgressionLoops progression_ = progression_loops();
  Side side_;
  std::int64_t* data_;
  std::int64_t* position_;
  bool prefetch_indices_;
  bool drops_;
  std::int64_t count_ = 0;
};

}  // namespace strew
