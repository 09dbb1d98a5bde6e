// The block of a position, against a search from the front.
#include "shard/cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/random.h"

namespace strew {
namespace {

using ::testing::Each;
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
  Cut(cuts).find(positions.data(), static_cast<std::int64_t>(positions.size()), blocks.data());
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

TEST(Cut, FindsTheFirstBlockOfAnAxisWithoutPositions) {
  const Cuts cuts{0, 0, 0, 0};  // an index that is dropped has the position 0 there
  const Cuts positions(5, 0);
  std::vector<std::uint32_t> blocks(5, 9);
  Cut(cuts).find(positions.data(), 5, blocks.data());
  EXPECT_THAT(blocks, Each(0));
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
        const Cuts ends{cuts[block], cuts[block + 1] - 1};
        std::array<std::uint32_t, 2> found{};
        cut.find(ends.data(), 2, found.data());
        ASSERT_THAT(found, Each(block));
      }
    }
  }
}

// Farther apart than 32 bits, where a table knows them and where it does not.
TEST(Cut, FindsRaggedBlocksOfLongAxes) {
  for (const std::int64_t unit : {1L << 20, 1L << 31, 1L << 32, 1L << 50}) {
    const Cuts cuts{0, 5, 5, unit, unit + 2, 3 * unit, 3 * unit + 1, 8 * unit + 7};
    const Cut cut(cuts);
    for (std::size_t block = 0; block + 1 < cuts.size(); ++block) {
      if (cuts[block] == cuts[block + 1]) continue;
      const std::int64_t last = cuts[block + 1] - 1, middle = cuts[block] + (last - cuts[block]) / 2;
      const Cuts inside{cuts[block], middle, last, cuts[block], last};
      std::vector<std::uint32_t> found(inside.size());
      cut.find(inside.data(), static_cast<std::int64_t>(inside.size()), found.data());
      EXPECT_THAT(found, Each(block));
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
