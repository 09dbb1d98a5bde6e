// Tests strew bench as a child process.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/child.h"
#include "apps/workplace.h"
#include "bench_operands.h"

namespace strew::app {
namespace {

Words bench(const std::string& op, const Words& more) { return joined({"bench", op, "--repeat", "2"}, more); }

nlohmann::json account(const std::string& op, const Words& more) {
  return nlohmann::json::parse(output_of(joined(bench(op, more), {"--json"})));
}

TEST(Bench, RejectsSeedsThatDoNotFit) {
  const Words call = {"--data", "float32[4]", "--indices", "int64[4]", "--seed"};
  for (const std::string number : {"-1", "99999999999999999999"}) {
    expect_refused(bench("Gather", joined(call, {number})),
                   "--seed: " + number + " is not a nonnegative whole number of 64 bits");
  }
  EXPECT_EQ(account("Gather", joined(call, {"18446744073709551615"})).count("error"), 0u);
}

TEST(BenchProgram, ReportsThatEmptyDataGiveNothingToDo) {
  const auto strategy = account("ScatterND", {"--data", "float32[0,4]", "--indices", "int64[0,1]"})["strategy"];
  EXPECT_EQ(strategy["reason"], "data have no elements to be read or updated");
}

TEST(BenchProgram, ShowsTimeRatesAndStrategy) {
  const Ended ended = run_program(bench("ScatterND", {"--data", "float32[64,8]", "--indices", "int64[16,1]",
                                                      "--reduction", "add", "--threads", "2"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out,
              ::testing::MatchesRegex("ScatterND  data float32 \\[64, 8\\]  indices int64 \\[16, 1\\] uniform  "
                                      "updates float32 \\[16, 8\\]  add  2 threads\n"
                                      "strategy [a-z_]+, [0-9]+ tasks?: .+\n"
                                      ".+ \\(median of 2\\)  [0-9.]+ [kMG]B/s  [0-9.]+ [kMG] elements/s\n"));
}

TEST(BenchProgram, CountsBytesAndElements) {
  const auto gather = account("Gather", {"--data", "float64[100,4]", "--indices", "int32[3]"});
  EXPECT_EQ(gather["elements"], 12);
  EXPECT_EQ(gather["bytes"], 3 * 4 + 2 * 12 * 8);
  const Words scatter = {"--data", "float32[8,4]", "--indices", "int64[2,1]"};
  EXPECT_EQ(account("ScatterND", scatter)["bytes"], 2 * 128 + 2 * 8 + 32);
  const auto in_place =
      account("ScatterND", {"--data", "float32[8,4]", "--indices", "int64[2,1]", "--in-place", "--threads", "1"});
  EXPECT_EQ(in_place["bytes"], 2 * 8 + 3 * 32);
  EXPECT_EQ(in_place["threads"], 1);
  EXPECT_GT(in_place["seconds"], 0);
  EXPECT_GE(in_place["seconds"], in_place["fastest_seconds"]);
  EXPECT_GT(in_place["gigabytes_per_second"], 0);
  EXPECT_EQ(in_place["strategy"]["name"], "serial");
}

TEST(BenchProgram, RunsEveryOperator) {
  const std::vector<std::pair<std::string, Words>> cases = {
      {"Gather", {"--data", "int4[6,4]", "--indices", "uint8[5]", "--axis", "1"}},
      {"GatherElements", {"--data", "complex128[6,4]", "--indices", "int64[6,9]", "--axis", "1"}},
      {"GatherND", {"--data", "bool[6,4,3]", "--indices", "int64[6,5,2]", "--batch-dims", "1"}},
      {"ScatterElements", {"--data", "bfloat16[6,4]", "--indices", "int32[6,2]", "--axis", "-1"}},
      {"ScatterND", {"--data", "float16[6,4]", "--indices", "int64[3,2]", "--reduction", "max"}},
      {"TensorScatter", {"--data", "float16[2,9,4]", "--updates", "float16[2,3,4]", "--indices", "int64[2]"}},
      {"TensorScatter", {"--data", "float16[2,9,4]", "--updates", "float16[2,3,4]", "--mode", "circular"}},
      {"ScatterND", {"--data", "float32[0]", "--indices", "int64[0,1]"}}};
  for (const auto& [op, more] : cases) {
    for (const std::string pattern : {"uniform", "sorted", "runs", "skewed", "equal", "permutation"}) {
      SCOPED_TRACE(op + " " + pattern);
      output_of(bench(op, joined(more, {"--pattern", pattern})));
    }
  }
}

TEST(BenchProgram, RejectsOptionsThatTheOperatorLacks) {
  const auto refused = [](const std::string& op, const std::string& indices, const std::string& option,
                          const std::string& value, const std::string& message) {
    expect_refused(bench(op, {"--data", "float32[4,4]", "--indices", indices, option, value}), message);
  };
  refused("Gather", "int64[3]", "--reduction", "add",
          "bench: Gather-13 has no attribute 'reduction'; it has axis");
  refused("GatherND", "int64[3,1]", "--axis", "1",
          "bench: GatherND-13 has no attribute 'axis'; it has batch_dims");
  refused("ScatterND", "int64[3,1]", "--axis", "1",
          "bench: ScatterND-18 has no attribute 'axis'; it has reduction");
  refused("ScatterElements", "int64[3,1]", "--mode", "circular",
          "bench: ScatterElements-18 has no attribute 'mode'; it has axis, reduction");
  refused("Gather", "int64[3]", "--updates", "float32[3,4]", "bench: Gather has no updates");
}

TEST(BenchProgram, RejectsImpossibleArguments) {
  expect_refused(bench("gather", {"--data", "float32[4]"}),
                 "bench: no operator 'gather'; choose from Gather, GatherElements, GatherND, ScatterElements, "
                 "ScatterND, TensorScatter; did you mean 'Gather'?");
  expect_refused(bench("Scatter", {"--data", "float32[4]", "--indices", "int64[4]"}),
                 "bench: Scatter is the old name of ScatterElements; measure ScatterElements");
  expect_refused(bench("model.onnx", {"--data", "float32[4]"}), "bench: no operator 'model.onnx'");
  expect_refused(bench("Gather", {"--node", "n"}), "--node");
  expect_refused(bench("Gather", {"--data", "float32[4]"}), "bench: Gather needs --indices");
  expect_refused(bench("TensorScatter", {"--data", "float32[4,4]"}), "bench: TensorScatter needs --updates");
  const auto with = [&](const Words& more) {
    return bench("Gather", joined({"--data", "float32[400]", "--indices", "int64[3]"}, more));
  };
  expect_refused(with({"--in-place"}), "--in-place: Gather has no output with the shape of its data");
  expect_refused(with({"--pattern", "zipf"}), "--pattern 'zipf' is not known; choose from uniform, sorted, runs");
  expect_refused(bench("Gather", {"--data", "float32[400]", "--indices", "int8[3]", "--pattern", "equal"}),
                 "--indices int8[3]: the type cannot represent every position in data");
  expect_refused(with({"--axis", "1"}), "axis");
  expect_refused(bench("ScatterND", {"--data", "float32[4]", "--indices", "int64[3,1]", "--reduction", "sum"}),
                 "--reduction 'sum' is not known; choose from none, add, mul, max, min, sub, div, and, or, xor, "
                 "mean; did you mean 'add'?");
  expect_refused(bench("Gather", {"--data", "string[4]", "--indices", "int64[3]"}), "strings are not measured");
}

TEST(BenchOperands, ReadsTypesAndShapes) {
  EXPECT_EQ(parse_spec("float32[2,30]", "--data")->shape, (Shape{2, 30}));
  EXPECT_EQ(parse_spec("double[]", "--data")->dtype, DType::kFloat64);
  for (const std::string wrong : {"float32", "float32[", "float32[2", "float32[2,]", "float32[,2]", "float32[-1]",
                                  "float32[2 3]", "[3]", "float31[3]", "float32[9223372036854775807,2]", ""}) {
    EXPECT_FALSE(parse_spec(wrong, "--data").has_value()) << wrong;
  }
}

TEST(IndexPattern, StaysBelowItsBoundAndHasItsForm) {
  for (const std::int64_t bound : {1, 2, 3, 7, 1000}) {
    Random random(3);
    const auto made = [&](IndexPattern pattern) { return make_pattern(pattern, 1000, bound, random); };
    for (const IndexPattern pattern : {IndexPattern::kUniform, IndexPattern::kRuns, IndexPattern::kSkewed,
                                       IndexPattern::kEqual, IndexPattern::kPermutation, IndexPattern::kSorted}) {
      EXPECT_THAT(made(pattern), ::testing::Each(::testing::AllOf(::testing::Ge(0), ::testing::Lt(bound))));
    }
    const auto sorted = made(IndexPattern::kSorted);
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
    auto permutation = make_pattern(IndexPattern::kPermutation, bound, bound, random);
    std::sort(permutation.begin(), permutation.end());
    EXPECT_EQ(std::unique(permutation.begin(), permutation.end()), permutation.end());
    const auto runs = made(IndexPattern::kRuns);
    EXPECT_EQ(std::count(runs.begin(), runs.begin() + 16, runs.front()), 16);
  }
}

}  // namespace
}  // namespace strew::app
