// Numbers at equal distances, added to runs and written over them.
#include "kernel/progression.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/instruction_sets.h"

namespace strew {
namespace {

TEST(ProgressionLoops, AddAndWriteEveryRunForEveryInstructionSetAndLength) {
  for (const std::int64_t set : support::instruction_sets()) {
    const support::ForcedInstructionSet forced(set);
    for (const std::int64_t runs : {0, 1, 3}) {
      for (std::int64_t run = 1; run < 40; ++run) {
        const auto count = static_cast<std::size_t>(runs * run);
        std::vector<std::int64_t> numbers(count + 1);
        std::iota(numbers.begin(), numbers.end(), std::int64_t{1} << 33);
        std::vector<std::int64_t> added = numbers;
        std::vector<std::int64_t> written = numbers;
        for (std::size_t i = 0; i < count; ++i) {
          const auto at = static_cast<std::int64_t>(i);
          written[i] = 5 + at / run * (std::int64_t{1} << 34) + at % run * -7;
          added[i] += written[i];
        }
        const Progression progression{5, -7, std::int64_t{1} << 34};
        progression_loops().add(numbers.data(), runs, run, progression);
        EXPECT_EQ(numbers, added) << runs << " of " << run;
        progression_loops().write(numbers.data(), runs, run, progression);
        EXPECT_EQ(numbers, written) << runs << " of " << run;
      }
    }
  }
}

}  // namespace
}  // namespace strew
