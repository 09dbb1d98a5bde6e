// Compares random calls of every operator with the oracle: all bits of the output, and all bytes around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>

#include "engine/random_way.h"

namespace strew::support {
namespace {

constexpr std::uint64_t kSeed = 20240613;
constexpr std::int64_t kDefaultCases = 120'000;
constexpr std::int64_t kCountedFrom = 5000;  // cases of a part; with fewer, a way may be missing by chance
constexpr int kParts = 3;                    // parts of each operator, which several processes can share

std::int64_t cases_per_part() {
  const char* wanted = std::getenv("STREW_RANDOM_CASES");
  const std::int64_t all = wanted != nullptr ? std::atoll(wanted) : kDefaultCases;
  return std::max<std::int64_t>(all / (kParts * static_cast<std::int64_t>(kOperators.size())), 1);
}

std::int64_t random_size(Random& random, std::int64_t i) {
  if (i % 5000 == 0) return 150'000;
  if (i % 1000 == 1) return 40'000;  // large enough for several tasks in most calls
  const std::int64_t die = random.below(20);
  return die == 0 ? 5000 : die < 6 ? 700 : 60;
}

void expect_enough(Tally tally, OpKind op, std::int64_t cases) {
  // At least one in `ran` cases must use this strategy, and one in `parallel` cases several tasks (0: none must).
  struct Share {
    std::string_view strategy;
    bool gathers;
    bool scatters;
    std::int64_t ran;
    std::int64_t parallel;
  };
  constexpr std::array<Share, 6> shares = {{{"auto", true, true, 100, 5000},
                                            {"serial", true, true, 100, 0},
                                            {"split_positions", true, true, 100, 200},
                                            {"copy_blocks", false, true, 500, 1000},
                                            {"private_copy", false, true, 500, 0},
                                            {"partition", false, true, 100, 200}}};
  for (const int threads : kThreads) {
    for (const Share& share : shares) {
      if (!(is_scatter(op) ? share.scatters : share.gathers)) continue;
      SCOPED_TRACE(std::string(share.strategy) + " with " + std::to_string(threads) + " threads");
      const std::pair key(std::string(share.strategy), threads);
      EXPECT_GE(tally.ran[key], cases / share.ran);
      if (threads == 1 || share.parallel == 0) continue;
      // Non-contiguous updates of ScatterND are first copied to rows, so copy_blocks has no axis to split.
      if (op == OpKind::kScatterND && share.strategy == "copy_blocks") continue;
      EXPECT_GE(tally.parallel[key], cases / share.parallel) << "calls with several tasks";
    }
  }
  if (!is_scatter(op) || op == OpKind::kTensorScatter) return;
  for (const auto rule : {OutOfBounds::kError, OutOfBounds::kClip, OutOfBounds::kWrap, OutOfBounds::kDrop}) {
    EXPECT_GE(tally.new_in_place[rule], cases / 200) << out_of_bounds_name(rule);
  }
}

using Part = std::tuple<OpKind, int>;
class RandomComparison : public testing::TestWithParam<Part> {};

TEST_P(RandomComparison, HasTheBitsOfTheOracle) {
  const auto [op, part] = GetParam();
  const std::uint64_t seed = kSeed + 1000 * static_cast<std::uint64_t>(op) + static_cast<std::uint64_t>(part);
  const std::int64_t cases = cases_per_part();
  std::printf("%s part %d: seed %llu, %lld cases\n", std::string(op_name(op)).c_str(), part,
              static_cast<unsigned long long>(seed), static_cast<long long>(cases));
  Random random(seed);
  Tally tally;
  for (std::int64_t i = 0; i < cases && !HasFailure(); ++i) {
    const Problem problem = random_problem(random, op, random_size(random, i));
    SCOPED_TRACE("case " + std::to_string(i) + ": " + describe(problem));
    const Problem before = problem;
    const reference::Outcome outcome = run_reference(problem.call, problem.operands());
    ASSERT_TRUE(outcome.value || outcome.code == ErrorCode::kIndexOutOfRange)
        << "the generator made an illegal call";
    check_way(random, problem, random_way(random, problem, false), outcome, tally);
    check_way(random, problem, random_way(random, problem, true), outcome, tally);
    const bool reduces = op == OpKind::kScatterElements || op == OpKind::kScatterND;
    if (reduces && outcome.value && i % 8 == 0) check_duplicates_refused(problem);
    EXPECT_TRUE(before.data.same_buffer(problem.data)) << "data was written to";
    EXPECT_TRUE(!problem.indices || before.indices->same_buffer(*problem.indices)) << "indices were written to";
    EXPECT_TRUE(!problem.updates || before.updates->same_buffer(*problem.updates)) << "updates were written to";
  }
  if (!HasFailure() && cases >= kCountedFrom) expect_enough(tally, op, cases);
}

INSTANTIATE_TEST_SUITE_P(All, RandomComparison,
                         testing::Combine(testing::ValuesIn(kOperators), testing::Range(0, kParts)),
                         [](const testing::TestParamInfo<Part>& test) {
                           return std::string(op_name(std::get<0>(test.param))) + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace strew::support
