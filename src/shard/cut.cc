// The reciprocal, or the table of buckets.
#include "shard/cut.h"

#include <algorithm>
#include <bit>

namespace strew {
namespace {

constexpr std::int64_t kMostBuckets = 1 << 16;
constexpr std::int64_t kBucketsForEach =
    16;  // block: so few have a cut inside, and small tables stay in the cache

}  // namespace

Cut::Cut(std::span<const std::int64_t> cuts) : cuts_(cuts) {
  if (count() <= 1 || extent() == 0) return;
  find_reciprocal();
  if (reciprocal_ == 0) fill_table();
}

void Cut::find_reciprocal() noexcept {
  const std::int64_t length = cuts_[1];
  if (length == 0 || extent() > std::int64_t{1} << 32) return;
  for (std::size_t i = 1; i < cuts_.size(); ++i) {
    if (cuts_[i] != std::min(cuts_[i - 1] + length, extent())) return;
  }
  reciprocal_ = (std::uint64_t{1} << 32) / static_cast<std::uint64_t>(length);
}

void Cut::fill_table() {
  const auto buckets = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::min(count() * kBucketsForEach, kMostBuckets))));
  while (((extent() - 1) >> shift_) >= buckets) ++shift_;
  const std::int64_t used = ((extent() - 1) >> shift_) + 1;
  table_.reserve(static_cast<std::size_t>(used) + 1);
  std::uint32_t block = 0;
  for (std::int64_t bucket = 0; bucket < used; ++bucket) {
    while (cuts_[block + 1] <= bucket << shift_) ++block;
    if (bucket > 0) most_steps_ = std::max(most_steps_, block - table_.back());
    table_.push_back(block);
  }
  while (cuts_[block + 1] < extent()) ++block;
  most_steps_ = std::max(most_steps_, block - table_.back());
  table_.push_back(block);
}

std::uint32_t Cut::search(std::int64_t position) const noexcept {
  const auto bucket = static_cast<std::size_t>(position >> shift_);
  const auto* first = cuts_.data() + table_[bucket] + 1;
  const auto* last = cuts_.data() + table_[bucket + 1] + 1;
  return static_cast<std::uint32_t>(std::upper_bound(first, last, position) - cuts_.data() - 1);
}

}  // namespace strew
