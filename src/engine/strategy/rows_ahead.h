// RowsAhead: applies long rows directly, without copying them into buckets, and prefetches the next ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/machine.h"
#include "core/prefetch.h"
#include "core/tuning.h"
#include "engine/geometry/geometry.h"
#include "engine/traversal/tasks.h"

namespace strew {

/// A queue of rows to apply. Its tail holds the rows to prefetch.
class RowsAhead {
 public:
  explicit RowsAhead(const Work& work) noexcept
      : work_(work),
        width_(element_bytes(work.geometry)),
        asked_(std::min(work.geometry.row * width_, kMaxPrefetchedRowBytes)) {
    if (!moves_bytes(work.geometry)) return;
    ahead_ = std::min(prefetch_distance(asked_), kMaxAhead);
    step_ = std::clamp(kPrefetchBurstBytes / asked_, std::int64_t{1}, kPrefetchedRows);
  }

  /// The number of free entries, and the addresses of the first free data offset and update offset.
  std::int64_t capacity_left() const noexcept { return kMost - count_; }
  std::int64_t* offsets() noexcept { return offsets_.data() + count_; }
  std::int64_t* update_offsets() noexcept { return update_offsets_.data() + count_; }

  void add(std::int64_t count) {
    count_ += count;
    if (capacity_left() == 0) apply(count_ - ahead_);
  }
  void finish() { apply(count_); }

 private:
  // Half of the usual distance, since each row has two lines to prefetch: one of data, one of updates.
  static constexpr std::int64_t kMaxAhead = prefetch_distance(kCacheLineBytes) / 2;
  static constexpr std::int64_t kMost = 256 + kMaxAhead;

  void apply(std::int64_t ready) {
    auto* target = static_cast<std::byte*>(work_.target);
    const auto* source = static_cast<const std::byte*>(work_.source);
    for (std::int64_t i = 0; i < ready; i += step_) {
      const std::int64_t count = std::min(step_, ready - i);
      const std::int64_t until = ahead_ == 0 ? 0 : std::min(i + count + ahead_, count_);
      for (; seen_ < until; ++seen_) {
        prefetch_to_l2(source + update_offsets_[static_cast<std::size_t>(seen_)] * width_, asked_);
        prefetch_to_l2(target + offsets_[static_cast<std::size_t>(seen_)] * width_, asked_);
      }
      apply_rows(work_, target, source, offsets_.data() + i, update_offsets_.data() + i, count);
    }
    seen_ = std::max<std::int64_t>(seen_ - ready, 0);
    count_ -= ready;
    std::copy_n(offsets_.data() + ready, count_, offsets_.data());
    std::copy_n(update_offsets_.data() + ready, count_, update_offsets_.data());
  }

  const Work& work_;
  std::int64_t width_;
  std::int64_t asked_;  // prefetched bytes of a row
  std::int64_t ahead_ = 0;
  std::int64_t step_ = kMost;
  std::int64_t count_ = 0;
  std::int64_t seen_ = 0;  // rows at the front that were prefetched
  std::array<std::int64_t, kMost> offsets_;
  std::array<std::int64_t, kMost> update_offsets_;
};

}  // namespace strew
