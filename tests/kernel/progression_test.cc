// Adding numbers at equal distances to runs.
#include "kernel/progression.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/instruction_sets.h"

namespace strew {
namespace {

TEST(AddProgression, AddsToEveryRunForEveryInstructionSetAndLength) {
  for (const std::int64_t set : support::instruction_sets()) {
    const support::ForcedInstructionSet forced(set);
    for (const std::int64_t runs : {0, 1, 3}) {
      for (std::int64_t run = 1; run < 40; ++run) {
        const auto count = static_cast<std::size_t>(runs * run);
        std::vector<std::int64_t> numbers(count + 1);
        std::iota(numbers.begin(), numbers.end(), std::int64_t{1} << 33);
        std::vector<std::int64_t> expected = numbers;
        for (std::size_t i = 0; i < count; ++i) {
          const auto at = static_cast<std::int64_t>(i);
          expected[i] += 5 + at / run * (std::int64_t{1} << 34) + at % run * -7;
        }
        add_progression()(numbers.data(), runs, run, {5, -7, std::int64_t{1} << 34});
        EXPECT_EQ(numbers, expected) << runs << " of " << run;
      }
    }
  }
}

}  // namespace
}  // namespace strew
