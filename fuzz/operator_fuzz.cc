// Compares random valid and invalid calls, in every strategy, thread count and instruction set, with the oracle:
// the result bit by bit, and the bytes around the output.
#include <gtest/gtest.h>

#include <cstdint>

#include "engine/random_way.h"
#include "support/call.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  GTEST_FLAG_SET(break_on_failure, true);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace strew;
  using namespace strew::support;
  Random random(std::span(bytes, size));
  const auto op = random.pick({OpKind::kGather, OpKind::kGatherElements, OpKind::kGatherND,
                               OpKind::kScatterElements, OpKind::kScatterND, OpKind::kTensorScatter});
  const Problem problem = random_problem(random, op, random.one_in(16) ? 700 : 60);
  const Problem before = problem;
  const reference::Outcome outcome = run_reference(problem.call, problem.operands());
  if (!outcome.value && outcome.code != ErrorCode::kIndexOutOfRange) return 0;
  SCOPED_TRACE(describe(problem));
  Tally tally;
  check_way(random, problem, random_way(random, problem, false), outcome, tally);
  check_way(random, problem, random_way(random, problem, true), outcome, tally);
  EXPECT_TRUE(before.data.same_buffer(problem.data)) << "data was written to";
  EXPECT_TRUE(!problem.indices || before.indices->same_buffer(*problem.indices)) << "indices were written to";
  EXPECT_TRUE(!problem.updates || before.updates->same_buffer(*problem.updates)) << "updates were written to";
  return 0;
}
