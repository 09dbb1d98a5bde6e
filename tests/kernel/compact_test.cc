// Keeping the pairs whose offset is inside a range.
#include "kernel/compact.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/instruction_sets.h"

namespace strew {
namespace {

TEST(CompactInRange, KeepsPairsInOrderForEveryInstructionSetAndLength) {
  std::mt19937_64 random(5);
  for (const std::int64_t set : support::instruction_sets()) {
    const support::ForcedInstructionSet forced(set);
    for (std::size_t count = 0; count < 40; ++count) {
      std::vector<std::int64_t> offset(count + 1, 77);
      std::vector<std::int64_t> position(count + 1, 77);
      std::vector<std::int64_t> expected;
      for (std::size_t i = 0; i < count; ++i) {
        offset[i] = static_cast<std::int64_t>(random() % 9) - 4;
        position[i] = static_cast<std::int64_t>(i) * 10 + offset[i] + 4;
        if (offset[i] >= -2 && offset[i] < 3) expected.push_back(position[i]);
      }
      const std::int64_t kept =
          compact_in_range()(-2, 3, offset.data(), position.data(), static_cast<std::int64_t>(count));
      EXPECT_EQ(offset[count], 77) << "behind the list";
      EXPECT_EQ(position[count], 77) << "behind the list";
      ASSERT_EQ(kept, static_cast<std::int64_t>(expected.size()));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(position[i], expected[i]);
        EXPECT_EQ(offset[i], expected[i] % 10 - 4);
      }
    }
  }
}

}  // namespace
}  // namespace strew
