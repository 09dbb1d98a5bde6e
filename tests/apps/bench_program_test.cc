// strew bench, from outside.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/child.h"
#include "apps/workplace.h"
#include "bench_operands.h"
#include "index_pattern.h"
#include "support/model_builder.h"

namespace strew::app {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::MatchesRegex;

std::vector<std::string> bench(const std::string& op, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"bench", op, "--repeat", "2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

nlohmann::json account(const std::string& op, std::vector<std::string> more) {
  more.push_back("--json");
  const Ended ended = run_program(bench(op, more));
  EXPECT_EQ(ended.code, 0) << ended.err;
  return nlohmann::json::parse(ended.out);
}

TEST(Bench, RefusesSeedsThatDoNotFit) {
  const std::vector<std::string> seed = {"--data", "float32[4]", "--indices", "int64[4]", "--seed"};
  for (const std::string number : {"-1", "99999999999999999999"}) {
    std::vector<std::string> arguments = bench("Gather", seed);
    arguments.push_back(number);
    expect_refused(arguments, "--seed: " + number + " is not a whole number of 64 bits, 0 or more");
  }
  EXPECT_EQ(account("Gather", {"--data", "float32[4]", "--indices", "int64[4]", "--seed", "18446744073709551615"})
                .count("error"),
            0u);
}

TEST(BenchProgram, SaysWhatScatterIsCalledToday) {
  expect_refused(bench("Scatter", {"--data", "float32[4]", "--indices", "int64[4]"}),
                 "bench: Scatter is the old name of ScatterElements; measure ScatterElements");
}

TEST(BenchProgram, SaysThatDataWithoutElementsGiveNothingToDo) {
  const auto strategy = account("ScatterND", {"--data", "float32[0,4]", "--indices", "int64[0,1]"})["strategy"];
  EXPECT_EQ(strategy["reason"], "data have no elements to be read or updated");
}

TEST(BenchProgram, ShowsTimeRateStrategyAndMemcpy) {
  const Ended ended = run_program(bench("ScatterND", {"--data", "float32[64,8]", "--indices", "int64[16,1]",
                                                      "--reduction", "add", "--threads", "2"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, MatchesRegex("ScatterND  data float32 \\[64, 8\\]  indices int64 \\[16, 1\\] uniform  "
                                      "updates float32 \\[16, 8\\]  add  2 threads\n"
                                      "strategy [a-z_]+, [0-9]+ tasks?: .+\n"
                                      "strew   .+ \\(median of 2\\) +[0-9.]+ [kMG]B/s +[0-9.]+ [kMG] elements/s\n"
                                      "memcpy  .+ \\(median of 2\\) +[0-9.]+ [kMG]B/s +of as many bytes.*\n"));
}

TEST(BenchProgram, CountsBytesAndElements) {
  const auto gather = account("Gather", {"--data", "float64[100,4]", "--indices", "int32[3]"});
  EXPECT_EQ(gather["elements"], 12);
  EXPECT_EQ(gather["bytes"], 3 * 4 + 2 * 12 * 8);
  const std::vector<std::string> scatter = {"--data", "float32[8,4]", "--indices", "int64[2,1]"};
  EXPECT_EQ(account("ScatterND", scatter)["bytes"], 2 * 128 + 2 * 8 + 32);
  const auto in_place =
      account("ScatterND", {"--data", "float32[8,4]", "--indices", "int64[2,1]", "--in-place", "--threads", "1"});
  EXPECT_EQ(in_place["bytes"], 2 * 8 + 3 * 32);
  EXPECT_EQ(in_place["threads"], 1);
  EXPECT_GT(in_place["strew"]["seconds"], 0);
  EXPECT_GE(in_place["strew"]["seconds"], in_place["strew"]["fastest_seconds"]);
  EXPECT_GT(in_place["memcpy"]["gigabytes_per_second"], 0);
  EXPECT_EQ(in_place["strategy"]["name"], "serial");
}

TEST(BenchProgram, RunsEveryOperator) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"Gather", {"--data", "int4[6,4]", "--indices", "uint8[5]", "--axis", "1"}},
      {"GatherElements", {"--data", "complex128[6,4]", "--indices", "int64[6,9]", "--axis", "1"}},
      {"GatherND", {"--data", "bool[6,4,3]", "--indices", "int64[6,5,2]", "--batch-dims", "1"}},
      {"ScatterElements", {"--data", "bfloat16[6,4]", "--indices", "int32[6,2]", "--axis", "-1"}},
      {"ScatterND", {"--data", "float16[6,4]", "--indices", "int64[3,2]", "--reduction", "max"}},
      {"TensorScatter", {"--data", "float16[2,9,4]", "--updates", "float16[2,3,4]", "--indices", "int64[2]"}},
      {"TensorScatter", {"--data", "float16[2,9,4]", "--updates", "float16[2,3,4]", "--mode", "circular"}},
      {"ScatterND", {"--data", "float32[0]", "--indices", "int64[0,1]"}},
  };
  for (const auto& [op, more] : cases) {
    for (const std::string pattern : {"uniform", "sorted", "runs", "skewed", "equal", "permutation"}) {
      auto arguments = bench(op, more);
      arguments.insert(arguments.end(), {"--pattern", pattern});
      const Ended ended = run_program(arguments);
      EXPECT_EQ(ended.code, 0) << op << " " << pattern << ": " << ended.err;
    }
  }
}

TEST(BenchProgram, RefusesOptionsThatTheOperatorLacks) {
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

TEST(BenchProgram, RefusesWhatCannotBe) {
  expect_refused(bench("Scater", {"--data", "float32[4]"}),
                 "bench: no operator 'Scater'; there are Gather, GatherElements");
  expect_refused(bench("Gather", {"--data", "float32[4]"}), "bench: Gather needs --indices");
  expect_refused(bench("TensorScatter", {"--data", "float32[4,4]"}), "bench: TensorScatter needs --updates");
  const std::vector<std::string> good = {"--data", "float32[400]", "--indices", "int64[3]"};
  const auto with = [&](const std::vector<std::string>& more) {
    auto arguments = bench("Gather", good);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  expect_refused(with({"--in-place"}), "--in-place: Gather has no output of the shape of its data");
  expect_refused(with({"--pattern", "zipf"}), "--pattern 'zipf' is not known; there are uniform, sorted, runs");
  expect_refused(bench("Gather", {"--data", "float32[400]", "--indices", "int8[3]", "--pattern", "equal"}),
                 "--indices int8[3]: the type cannot say every place of data");
  expect_refused(bench("Gather", {"--data", "float32[400]", "--indices", "int64[3]", "--axis", "1"}), "axis");
  expect_refused(bench("ScatterND", {"--data", "float32[4]", "--indices", "int64[3,1]", "--reduction", "sum"}),
                 "--reduction 'sum' is not known; there are none, add, mul, max, min, sub, div, and, or, xor, "
                 "mean; did you mean 'add'?");
  expect_refused(bench("Gather", {"--data", "string[4]", "--indices", "int64[3]"}), "strings are not measured");
}

TEST(BenchProgram, HasAPatternOfOneIndexForARow) {
  const std::vector<std::string> scatter = {"--data",      "float32[9,4]", "--indices",
                                            "int64[30,4]", "--pattern",    "rows"};
  const auto rows = account("ScatterElements", scatter);
  EXPECT_EQ(rows["indices"]["shape"], nlohmann::json::parse("[30, 4]"));
  EXPECT_EQ(rows["bytes"], 30 * 8 + 30 * 4 * 4 + 2 * 9 * 4 * 4);  // an index for a row is read once
  EXPECT_EQ(rows["pattern"], "rows");
  EXPECT_EQ(rows["node"], nullptr);
  const auto columns = account(
      "GatherElements", {"--data", "float32[4,9]", "--indices", "int32[4,5]", "--axis", "1", "--pattern", "rows"});
  EXPECT_EQ(columns["bytes"], 5 * 4 + 2 * 4 * 5 * 4);
  expect_refused(bench("ScatterND", {"--data", "float32[9,4]", "--indices", "int64[30,1]", "--pattern", "rows"}),
                 "--pattern rows: ScatterND has one index for each row already");
}

class BenchNode : public Workplace {
 protected:
  // A Relu; a ScatterElements behind it whose edges are open; a Gather of constant rows.
  std::string model() const {
    using testing::TestShape;
    return save_text("whole.onnx",
                     testing::ModelBuilder(18)
                         .input("x", DType::kFloat32, TestShape{"atoms", 4})
                         .input("to", DType::kInt64, TestShape{"edges", 4})
                         .input("open", DType::kFloat32, TestShape{"?", 4})
                         .initializer(testing::tensor_message<std::int64_t>("few", {1, 1}, {2}))
                         .node("Relu", {"x"}, {"r"}, {}, "relu")
                         .value_info("r", DType::kFloat32, TestShape{"atoms", 4})
                         .input("messages", DType::kFloat32, TestShape{"edges", 4})
                         .node("ScatterElements", {"r", "to", "messages"}, {"sums"},
                               {testing::string_attribute("reduction", "add")}, "sum")
                         .node("Gather", {"open", "few"}, {"y"}, {testing::int_attribute("axis", 1)}, "pick")
                         .output("y", DType::kFloat32, std::nullopt)
                         .bytes());
  }
};

TEST_F(BenchNode, TakesTypesShapesAndAttributesFromTheModel) {
  const auto sum = account(model(), {"--node", "sum", "--dim", "atoms=5", "--dim", "edges=7"});
  EXPECT_EQ(sum["operator"], "ScatterElements");
  EXPECT_EQ(sum["node"], "sum");
  EXPECT_EQ(sum["data"]["shape"], nlohmann::json::parse("[5, 4]"));
  EXPECT_EQ(sum["updates"]["shape"], nlohmann::json::parse("[7, 4]"));
  EXPECT_EQ(sum["reduction"], "add");
  EXPECT_EQ(sum["pattern"], "uniform");
  const auto pick = account(model(), {"--node", "#2", "--data", "float64[6,4]"});
  EXPECT_EQ(pick["data"]["dtype"], "float64");
  EXPECT_EQ(pick["elements"], 12) << "axis 1";
  EXPECT_EQ(pick["pattern"], "given");
  EXPECT_EQ(account(model(), {"--node", "pick", "--data", "float32[6,4]", "--pattern", "equal"})["pattern"],
            "equal");
}

TEST_F(BenchNode, MakesUpdatesForTheOtherOperandsWhereTheModelDoesNotSayTheirShape) {
  const auto sum = account(model(), {"--node", "sum", "--data", "float32[5,4]", "--indices", "int64[3,4]"});
  EXPECT_EQ(sum["updates"]["shape"], nlohmann::json::parse("[3, 4]"));
}

TEST_F(BenchNode, TakesOperandsFromFiles) {
  const std::string to = save("to.npy", *Tensor::zeros(DType::kInt64, {3, 4}));
  const auto sum = account(model(), {"--node", "sum", "--dim", "atoms=5", "-i", "indices=" + to, "-i",
                                     "messages=" + save("m.npy", *Tensor::zeros(DType::kFloat32, {3, 4}))});
  EXPECT_EQ(sum["pattern"], "given");
  EXPECT_EQ(sum["elements"], 12);
  expect_refused(bench(model(), {"--node", "sum", "-i", "indcies=" + to}), "did you mean 'indices'?");
}

TEST_F(BenchNode, SaysWhatIsNotKnown) {
  const std::string file = model();
  expect_refused(bench(file, {}), file + ": which node? --node NAME; there are 2 gathers and scatters: sum, pick");
  expect_refused(
      bench(file, {"--node", "sum"}),
      file + ": node 'sum': the sizes of some dimensions are not known: give --dim atoms=N --dim edges=N");
  expect_refused(bench(file, {"--node", "pick"}),
                 "node 'pick': of data the model only says that it is float32 [?, 4]; give --data TYPE[DIMS]");
  expect_refused(bench(file, {"--node", "sum", "--dim", "atoms=-1"}),
                 "--dim atoms=-1: write the name of a dimension");
  expect_refused(bench(file, {"--node", "sum", "--dim", "edgse=3"}),
                 "--dim edgse=3: the node has no such dimension; there are atoms, edges; did you mean 'edges'?");
  expect_refused(bench(file, {"--node", ""}), "--node: a node goes by its name, or by its position as in #3");
  expect_refused(bench(file, {"--node", "sum", "--axis", "1"}),
                 "bench: the node has its attributes; leave axis out");
  expect_refused(bench(file, {"--node", "sum", "--dim", "atoms=3", "--dim", "atoms=4"}),
                 "--dim atoms=4: atoms is 3 already");
  expect_refused(bench(file, {"--node", "pick", "--data", "float32[6,1]"}),
                 file + ": node 'pick': indices[0] = 1 is outside");
  expect_refused(bench("Gather", {"--node", "n"}),
                 "bench: --node is for a node of a model; Gather is an operator");
  expect_refused(bench("Gather", {"--dim", "n=3"}), "bench: --dim is for a node of a model");
  expect_refused(bench("Gather", {"-i", "n=3"}), "bench: -i is for a node of a model");
}

TEST_F(BenchNode, SaysHowToGiveShapesThatTheModelDoesNot) {
  auto model = testing::ModelBuilder(17)
                   .input("x", DType::kFloat32, {{3, 2}})
                   .input("rows", DType::kInt64, {{1}})
                   .node("Relu", {"x"}, {"r"}, {}, "relu")
                   .node("Gather", {"r", "rows"}, {"a"}, {}, "pick")
                   .node("Gather", {"r", "rows"}, {"b"}, {}, "pick")
                   .output("b", DType::kFloat32, std::nullopt);
  const std::string file = save_text("open.onnx", model.bytes());
  expect_refused(bench(file, {}), file + ": which node? --node NAME; there are 2 gathers and scatters: #1, #2");
  expect_refused(bench(file, {"--node", "#2", "--dim", "n=3"}),
                 file +
                     ": node 'pick' at #2: the model says nothing of data; give --data TYPE[DIMS], or write the "
                     "shapes into the model: onnx.shape_inference.infer_shapes");
  expect_refused(bench(file, {"--node", "#2", "--data", "float32[3,2]", "--dim", "n=3"}),
                 "--dim n=3: the model has no dimension of the node's inputs by name");
}

TEST(BenchOperands, ReadsTypesAndShapes) {
  EXPECT_EQ(parse_spec("float32[2,30]", "--data")->shape, (Shape{2, 30}));
  EXPECT_EQ(parse_spec("double[]", "--data")->dtype, DType::kFloat64);
  for (const std::string wrong : {"float32", "float32[", "float32[2", "float32[2,]", "float32[,2]", "float32[-1]",
                                  "float32[2 3]", "[3]", "float31[3]", "float32[9223372036854775807,2]", ""}) {
    EXPECT_FALSE(parse_spec(wrong, "--data").has_value()) << wrong;
  }
}

TEST(IndexPattern, StaysWithinItsBoundAndHasItsForm) {
  for (const std::int64_t bound : {1, 2, 3, 7, 1000}) {
    Random random(3);
    const auto made = [&](IndexPattern pattern) { return make_pattern(pattern, 1000, bound, random); };
    for (const IndexPattern pattern :
         {IndexPattern::kUniform, IndexPattern::kRuns, IndexPattern::kSkewed, IndexPattern::kEqual,
          IndexPattern::kPermutation, IndexPattern::kSorted, IndexPattern::kRows}) {
      EXPECT_THAT(made(pattern), Each(AllOf(Ge(0), Lt(bound))));
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
