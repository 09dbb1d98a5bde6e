// Loop nests: joining of axes, and walks from any position in runs of any length.
#include "core/loop_nest.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/random.h"

namespace strew {
namespace {

TEST(LoopNest, JoinsAxesThatEveryOperandAllows) {
  LoopNest<2> nest;
  nest.push(4, {6, 12});
  nest.push(1, {99, 99});
  nest.push(3, {2, 4});
  nest.push(2, {1, 1});
  ASSERT_EQ(nest.rank, 2);
  EXPECT_EQ(nest.extent[0], 12);
  EXPECT_EQ(nest.stride[0], (LoopNest<2>::Offsets{2, 4}));
  EXPECT_EQ(nest.count(), 24);
}

TEST(LoopNest, WithoutAxesHasOnePosition) {
  LoopNest<1> nest;
  EXPECT_EQ(nest.count(), 1);
  LoopWalk<1> walk(nest, 0);
  EXPECT_EQ(walk.run(), 1);
  EXPECT_EQ(walk.offset()[0], 0);
}

TEST(LoopWalk, VisitsTheOffsetsOfPlainLoopsFromAnyPositionInAnySteps) {
  support::Random random(11);
  for (int round = 0; round < 300; ++round) {
    LoopNest<1> nest;
    std::vector<std::int64_t> expected{0};
    for (std::int64_t axis = random.below(5); axis >= 0; --axis) {
      const std::int64_t extent = random.between(1, 5);
      const std::int64_t stride = random.between(-7, 7);
      nest.push(extent, {stride});
      std::vector<std::int64_t> longer;
      for (const std::int64_t base : expected) {
        for (std::int64_t i = 0; i < extent; ++i) longer.push_back(base + i * stride);
      }
      expected = longer;
    }
    const auto count = static_cast<std::int64_t>(expected.size());
    ASSERT_EQ(nest.count(), count);
    std::int64_t position = random.below(count);
    LoopWalk<1> walk(nest, position);
    while (position < count) {
      ASSERT_EQ(walk.offset()[0], expected[static_cast<std::size_t>(position)]) << "position " << position;
      ASSERT_LE(walk.run(), count - position);
      const std::int64_t runs = random.below(walk.whole_runs() + 1);
      const std::int64_t step = runs > 0 ? runs * walk.run() : random.between(1, walk.run());
      position += step;
      if (position < count) runs > 0 ? walk.advance_runs(runs) : walk.advance(step);
    }
  }
}

}  // namespace
}  // namespace strew
