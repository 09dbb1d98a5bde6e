// Finds the block of each position: with the reciprocal of the block length, or with a table of buckets.
#include "shard/router.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shard/cut.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)  // no faster here than SSE2 and AVX3
#include <hwy/foreach_target.h>                         // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

// Finds blocks of equal lengths. The compiler can vectorise this loop, since all factors fit in 32 bits.
void find_even(const std::int64_t* HWY_RESTRICT positions, std::int64_t count, std::uint64_t length,
               std::uint64_t reciprocal, std::uint32_t* HWY_RESTRICT blocks) {
  constexpr std::uint64_t kHalf = 0xffffffff;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t position = static_cast<std::uint64_t>(positions[i]) & kHalf;
    const std::uint64_t low = (position * (reciprocal & kHalf)) >> 32;  // the block or its predecessor
    const std::uint64_t behind = position - low * (length & kHalf);
    const std::uint64_t over = (length - 1 - behind) >> 63;
    blocks[i] = static_cast<std::uint32_t>(low + over);
  }
}

// Finds the block of a position by binary search among all blocks of `bucket`.
HWY_INLINE std::uint32_t search(const std::int64_t* cuts, const CutBucket* bucket, std::int64_t position) {
  return static_cast<std::uint32_t>(
      std::upper_bound(cuts + bucket->block + 1, cuts + bucket[1].block + 1, position) - cuts - 1);
}

// Finds the blocks of four positions at a time, with one load from the table per position. Calls `search` for all
// four if one of them lies after the three ends in its CutBucket.
void find_in_table(const std::int64_t* cuts, const CutBucket* table, int shift, const std::int64_t* positions,
                   std::int64_t count, std::uint32_t* blocks) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::FixedTag<std::int32_t, 4> words;
  const hn::FixedTag<std::uint32_t, 4> bits;
  const hn::FixedTag<std::int64_t, 2> pairs;
  const auto mask = hn::Set(words, static_cast<std::int32_t>((std::int64_t{1} << shift) - 1));
  const auto lower_half = [&](const std::int64_t* two)
                              HWY_ATTR { return hn::BitCast(words, hn::LoadU(pairs, two)); };
  for (; i + 4 <= count; i += 4) {
    const auto bucket = [&](std::int64_t lane)
                            HWY_ATTR { return hn::LoadU(words, &table[positions[i + lane] >> shift].block); };
    const auto first = bucket(0), second = bucket(1), third = bucket(2), fourth = bucket(3);
    const auto low = hn::InterleaveLower(words, first, third),
               low_too = hn::InterleaveLower(words, second, fourth);
    const auto high = hn::InterleaveUpper(words, first, third);
    const auto high_too = hn::InterleaveUpper(words, second, fourth);
    const auto block = hn::InterleaveLower(words, low, low_too), end = hn::InterleaveUpper(words, low, low_too);
    const auto next_end = hn::InterleaveLower(words, high, high_too);
    const auto last_end = hn::InterleaveUpper(words, high, high_too);
    const auto inside =
        hn::And(hn::ConcatEven(words, lower_half(positions + i + 2), lower_half(positions + i)), mask);
    const auto before = hn::Add(hn::VecFromMask(words, hn::Lt(inside, end)),  // -1 for each end after the position
                                hn::VecFromMask(words, hn::Lt(inside, next_end)));
    hn::StoreU(hn::BitCast(bits, hn::Add(hn::Add(block, hn::Set(words, 2)), before)), bits, blocks + i);
    if (hn::AllTrue(words, hn::Lt(inside, last_end))) continue;
    for (std::int64_t lane = i; lane < i + 4; ++lane) {
      blocks[lane] = search(cuts, table + (positions[lane] >> shift), positions[lane]);
    }
  }
#endif
  for (; i < count; ++i) blocks[i] = search(cuts, table + (positions[i] >> shift), positions[i]);
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
namespace {

HWY_EXPORT(find_even);
HWY_EXPORT(find_in_table);

constexpr std::int64_t kMaxBuckets = 1 << 16;
constexpr std::int64_t kBucketsPerBlock = 8;  // few buckets contain three cuts, and tables stay in cache

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
      std::bit_ceil(static_cast<std::uint64_t>(std::min(count() * kBucketsPerBlock, kMaxBuckets))));
  while (((extent() - 1) >> shift_) >= buckets) ++shift_;
  if (shift_ > 30) return;
  const auto last = static_cast<std::uint32_t>(count() - 1);
  table_.reserve(static_cast<std::size_t>((extent() - 1) >> shift_) + 2);
  for (std::uint32_t block = 0; block < count(); ++block) {
    const auto end = [&](std::uint32_t further) { return cuts_[std::min(block + further, last) + 1]; };
    for (auto first = static_cast<std::int64_t>(table_.size()) << shift_; first < end(0);
         first += std::int64_t{1} << shift_) {
      const auto seen = [&](std::int64_t cut) { return static_cast<std::int32_t>(std::min(cut - first, kMost)); };
      table_.push_back({static_cast<std::int32_t>(block), {seen(end(0)), seen(end(1)), seen(end(2))}});
    }
  }
  table_.push_back({static_cast<std::int32_t>(last), {}});
}

void Cut::find(const std::int64_t* positions, std::int64_t count, std::uint32_t* blocks) const noexcept {
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
  }
}

}  // namespace strew
#endif
