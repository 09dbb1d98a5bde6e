// The block of a position, against a search from the front.
#include "shard/cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/random.h"

namespace strew {
namespace {

using Cuts = std::vector<std::int64_t>;

std::uint32_t plain_block(const Cuts& cuts, std::int64_t position) {
  std::uint32_t block = 0;
  while (cuts[block + 1] <= position) ++block;
  return block;
}

void expect_all_found(const Cuts& cuts) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(cuts.back()));
  std::iota(positions.begin(), positions.end(), 0);
  std::vector<std::uint32_t> blocks(positions.size());
  Cut(cuts).find(positions.data(), static_cast<std::int64_t>(positions.size()),
                 [&](std::int64_t i, std::uint32_t block, std::int64_t inside) {
                   blocks[static_cast<std::size_t>(i)] = block;
                   EXPECT_EQ(inside, positions[static_cast<std::size_t>(i)] - cuts[block]);
                 });
  for (std::size_t i = 0; i < positions.size(); ++i) {
    ASSERT_EQ(blocks[i], plain_block(cuts, positions[i])) << "position " << i << " of " << cuts.back();
  }
}

TEST(Cut, FindsBlocksThatAreEvenRaggedEmptyOrAlone) {
  expect_all_found({0, 7});
  expect_all_found({0, 3, 6, 9, 10});
  expect_all_found({0, 1, 2, 3, 4, 5});
  expect_all_found({0, 0, 0, 5, 5, 9, 9, 9});
  expect_all_found({0, 0});
}

TEST(Cut, FindsTinyBlocksBesideAHugeOne) {
  Cuts cuts{0};
  for (std::int64_t i = 0; i < 200; ++i) cuts.push_back(cuts.back() + i % 3);
  cuts.push_back(cuts.back() + 100'000);
  for (std::int64_t i = 0; i < 20; ++i) cuts.push_back(cuts.back() + 1);
  expect_all_found(cuts);
}

// Where a quotient by multiplication is off first: about the multiples of a length, up to the last position.
TEST(Cut, FindsEvenBlocksOfLongAxes) {
  for (const std::int64_t extent :
       {(std::int64_t{1} << 32) - 1, std::int64_t{1} << 32, (std::int64_t{1} << 32) + 1}) {
    for (const std::int64_t length :
         {65'537L, 1'000'003L, (1L << 31) - 1, 1L << 31, (1L << 31) + 1, (1L << 32) - 1}) {
      Cuts cuts{0};
      while (cuts.back() < extent) cuts.push_back(std::min(cuts.back() + length, extent));
      const Cut cut(cuts);
      for (std::size_t block = 0; block + 1 < cuts.size(); ++block) {
        const Cuts positions{cuts[block], cuts[block + 1] - 1};
        cut.find(positions.data(), 2, [&](std::int64_t i, std::uint32_t found, std::int64_t inside) {
          ASSERT_EQ(found, block);
          ASSERT_EQ(inside, positions[static_cast<std::size_t>(i)] - cuts[block]);
        });
      }
    }
  }
}

TEST(Cut, FindsRandomBlocks) {
  support::Random random(20);
  for (int round = 0; round < 200; ++round) {
    Cuts cuts{0};
    const std::int64_t longest = random.pick({1, 2, 30, 500});
    for (std::int64_t i = random.between(1, 60); i > 0; --i)
      cuts.push_back(cuts.back() + random.below(longest + 1));
    expect_all_found(cuts);
  }
}

}  // namespace
}  // namespace strew
