// Pictures on threads with small stacks.
#include <gtest/gtest.h>

#include "engine/random_problem.h"
#include "strew/picture.h"
#include "support/small_stack.h"

namespace strew::support {
namespace {

TEST(SmallStacks, AreEnoughForAPictureOfEveryCall) {
  if (!stacks_are_small()) GTEST_SKIP() << "frames are larger in this build";
  Random random(20250902);
  for (int i = 0; i < 120 && !HasFailure(); ++i) {
    const auto op = static_cast<OpKind>(i % 6);
    const Problem problem = random_problem(random, op, random.one_in(4) ? 3000 : 50);
    const Operands operands = problem.operands();
    const auto plan = make_plan(problem.call, operands);
    const PictureOptions options{.applied = random.one_in(2) ? INT64_MAX : 1};
    EXPECT_LE(stack_of([&] { (void)draw(op, plan, operands, options); }), kSmallStack) << describe(problem);
  }
}

}  // namespace
}  // namespace strew::support
