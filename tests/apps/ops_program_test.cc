// strew ops, from outside.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/workplace.h"

namespace strew::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class OpsProgram : public Workplace {};

TEST_F(OpsProgram, ShowsTheNewestVersionOfAnOperator) {
  const Ended ended = run_program({"ops", "ScatterND"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("ScatterND-18, opsets 18 to 28\n"));
  EXPECT_THAT(ended.out, HasSubstr("none, add, mul, max, min (default none)"));
  EXPECT_THAT(ended.out, HasSubstr("Versions: 11, 13, 16, 18."));
}

TEST_F(OpsProgram, ShowsTheVersionThatAnOpsetUses) {
  const Ended ended = run_program({"ops", "ScatterND", "--version", "14"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith("ScatterND-13, opsets 13 to 15\n"));
  EXPECT_THAT(ended.out, HasSubstr("Attributes: none\n"));
}

TEST_F(OpsProgram, SaysWhatChangedAfterAnOpset) {
  const Ended ended = run_program({"ops", "ScatterND", "--changes", "13"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("  16  new attribute reduction: none, add, mul (default none); a model without it"));
  EXPECT_THAT(ended.out, HasSubstr("  18  reduction also takes max, min\n"));
  EXPECT_THAT(ended.out, Not(HasSubstr("bfloat16")));
  EXPECT_EQ(run_program({"ops", "Scatter", "--changes", "11"}).out, "Scatter: nothing changed after opset 11\n");
  const auto all = nlohmann::json::parse(run_program({"ops", "ScatterND", "--changes", "1", "--json"}).out);
  EXPECT_EQ(all["changes"][0]["texts"][0], "new types of data: bfloat16");
}

TEST_F(OpsProgram, RefusesUnknownOperatorsAndVersionsThatAreNotThereYet) {
  expect_refused({"ops", "ScaterND"}, "did you mean 'ScatterND'?");
  expect_refused({"ops", "Foo"},
                 "ops: no operator 'Foo'; there are Gather, GatherElements, GatherND, Scatter, ScatterElements, "
                 "ScatterND, TensorScatter");
  expect_refused({"ops", "TensorScatter", "--version", "18"}, "it came with opset 24");
  expect_refused({"ops", "--changes", "13"}, "ops: --changes needs an OPERATOR");
  for (const std::string opset : {"0", "29", "99"}) {
    expect_refused({"ops", "ScatterND", "--changes", opset},
                   "ops: --changes " + opset + ": no opset of this number; there are 1 to 28");
  }
  expect_refused({"ops", "ScatterND", "--changes", "13", "--version", "18"}, "--");
}

}  // namespace
}  // namespace strew::app
