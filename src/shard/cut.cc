// The reciprocal, in vectors, or the table of buckets.
#include "shard/cut.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shard/cut.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)  // no faster here than the ones before them
#include <hwy/foreach_target.h>                         // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

// A plain loop, which the compiler turns into vectors. All values have 32 bits.
void find_even(std::int64_t* HWY_RESTRICT positions, std::int64_t count, std::uint64_t length,
               std::uint64_t reciprocal, std::uint32_t* HWY_RESTRICT blocks) {
  constexpr std::uint64_t kHalf = 0xffffffff;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t position = static_cast<std::uint64_t>(positions[i]) & kHalf;
    const std::uint64_t low = (position * (reciprocal & kHalf)) >> 32;  // the block, or one too low
    const std::uint64_t behind = position - low * (length & kHalf);
    const std::uint64_t over = (length - 1 - behind) >> 63;
    blocks[i] = static_cast<std::uint32_t>(low + over);
    positions[i] = static_cast<std::int64_t>(behind - (length & (0 - over)));
  }
}

// For a position that may lie behind the two blocks that its bucket knows.
HWY_INLINE void search(const std::int64_t* cuts, const CutBucket* bucket, std::int64_t& position,
                       std::uint32_t& block) {
  block = static_cast<std::uint32_t>(
      std::upper_bound(cuts + bucket->block + 1, cuts + bucket[1].block + 1, position) - cuts - 1);
  position -= cuts[block];
}

// Four positions at a time, each with one load of its bucket.
void find_in_table(const std::int64_t* cuts, const CutBucket* table, int shift, std::int64_t* positions,
                   std::int64_t count, std::uint32_t* blocks) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::FixedTag<std::int32_t, 4> words;
  const hn::FixedTag<std::uint32_t, 4> bits;
  const hn::FixedTag<std::int64_t, 2> pairs;
  const auto mask = hn::Set(pairs, (std::int64_t{1} << shift) - 1);
  const auto none = hn::Zero(bits);
  for (; i + 4 <= count; i += 4) {
    const std::array<std::int64_t, 4> given{positions[i], positions[i + 1], positions[i + 2], positions[i + 3]};
    const auto bucket = [&](std::size_t lane)
                            HWY_ATTR { return hn::LoadU(words, &table[given[lane] >> shift].block); };
    const auto first = bucket(0), second = bucket(1), third = bucket(2), fourth = bucket(3);
    const auto low = hn::InterleaveLower(words, first, third),
               low_too = hn::InterleaveLower(words, second, fourth);
    const auto high = hn::InterleaveUpper(words, first, third);
    const auto high_too = hn::InterleaveUpper(words, second, fourth);
    const auto block = hn::InterleaveLower(words, low, low_too), begin = hn::InterleaveUpper(words, low, low_too);
    const auto end = hn::InterleaveLower(words, high, high_too);
    const auto end_behind = hn::InterleaveUpper(words, high, high_too);
    const auto inside_low = hn::And(hn::LoadU(pairs, positions + i), mask);
    const auto inside_high = hn::And(hn::LoadU(pairs, positions + i + 2), mask);
    const auto inside = hn::ConcatEven(words, hn::BitCast(words, inside_high), hn::BitCast(words, inside_low));
    const auto is_before = hn::Lt(inside, end);
    const auto found = hn::IfThenElse(is_before, block, hn::Add(block, hn::Set(words, 1)));
    const auto behind = hn::BitCast(bits, hn::Sub(inside, hn::IfThenElse(is_before, begin, end)));
    hn::StoreU(hn::BitCast(bits, found), bits, blocks + i);
    hn::StoreU(hn::BitCast(pairs, hn::InterleaveLower(bits, behind, none)), pairs, positions + i);
    hn::StoreU(hn::BitCast(pairs, hn::InterleaveUpper(bits, behind, none)), pairs, positions + i + 2);
    if (hn::AllTrue(words, hn::Lt(inside, end_behind))) continue;
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const CutBucket* mine = table + (given[lane] >> shift);
      if ((given[lane] & ((std::int64_t{1} << shift) - 1)) < mine->end_behind) continue;
      const std::int64_t at = i + static_cast<std::int64_t>(lane);
      positions[at] = given[lane];
      search(cuts, mine, positions[at], blocks[at]);
    }
  }
#endif
  for (; i < count; ++i) search(cuts, table + (positions[i] >> shift), positions[i], blocks[i]);
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
namespace {

HWY_EXPORT(find_even);
HWY_EXPORT(find_in_table);

constexpr std::int64_t kMostBuckets = 1 << 16;
constexpr std::int64_t kBucketsForEach = 8;  // block: few have two cuts inside, and small tables stay in the cache

}  // namespace

Cut::Cut(std::span<const std::int64_t> cuts) : cuts_(cuts) {
  if (count() <= 1 || extent() == 0) return;
  find_reciprocal();
  if (reciprocal_ == 0) fill_table();
}

void Cut::find_reciprocal() noexcept {
  constexpr std::int64_t kMost = (std::int64_t{1} << 32) - 1;
  const std::int64_t length = cuts_[1];
  if (length == 0 || extent() > kMost + 1) return;
  for (std::size_t i = 1; i < cuts_.size(); ++i) {
    if (cuts_[i] != std::min(cuts_[i - 1] + length, extent())) return;
  }
  reciprocal_ = static_cast<std::uint64_t>(kMost / length);
}

void Cut::fill_table() {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto buckets = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::min(count() * kBucketsForEach, kMostBuckets))));
  while (((extent() - 1) >> shift_) >= buckets) ++shift_;
  if (shift_ > 30) return;
  table_.reserve(static_cast<std::size_t>((extent() - 1) >> shift_) + 2);
  for (std::uint32_t block = 0; block < count(); ++block) {
    const std::int64_t end = cuts_[block + 1];
    const std::int64_t end_behind = block + 1 < count() ? cuts_[block + 2] : end;
    for (auto first = static_cast<std::int64_t>(table_.size()) << shift_; first < end;
         first += std::int64_t{1} << shift_) {
      const bool is_near = first - cuts_[block] <= kMost;
      table_.push_back({static_cast<std::int32_t>(block),
                        static_cast<std::int32_t>(is_near ? cuts_[block] - first : 0),
                        static_cast<std::int32_t>(std::min(end - first, kMost)),
                        static_cast<std::int32_t>(is_near ? std::min(end_behind - first, kMost) : 0)});
    }
  }
  table_.push_back({static_cast<std::int32_t>(count() - 1), 0, 0, 0});
}

void Cut::find(std::int64_t* positions, std::int64_t count, std::uint32_t* blocks) const noexcept {
  if (reciprocal_ != 0) {
    const auto length = static_cast<std::uint64_t>(cuts_[1]);
    HWY_DYNAMIC_DISPATCH(find_even)(positions, count, length, reciprocal_, blocks);
    return;
  }
  if (this->count() <= 1 || extent() == 0) {
    std::fill_n(blocks, count, 0u);
    return;
  }
  if (!table_.empty()) {
    HWY_DYNAMIC_DISPATCH(find_in_table)(cuts_.data(), table_.data(), shift_, positions, count, blocks);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    blocks[i] = static_cast<std::uint32_t>(std::upper_bound(cuts_.begin() + 1, cuts_.end(), positions[i]) -
                                           cuts_.begin() - 1);
    positions[i] -= cuts_[blocks[i]];
  }
}

}  // namespace strew
#endif
