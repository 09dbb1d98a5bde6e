// Tests strew op with extensions of ONNX, and its pictures.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/workplace.h"

namespace strew::app {
namespace {

using ::testing::HasSubstr;

using BeyondOnnx = ScatterFiles;

TEST_F(BeyondOnnx, FollowsTheIndexRulesOfItsOptions) {
  const std::string wild = save("wild.npy", *Tensor::of<std::int64_t>({1, -1, 9}, {3}));
  const std::string new_values = save("new.npy", *Tensor::of<float>({10, 20, 30}, {3}));
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"Gather", data_, wild, "--out-of-bounds", "clip"}, "[2, 4, 4]"},
      {{"Gather", data_, wild, "--out-of-bounds", "clip", "--negative-indices", "out_of_bounds"}, "[2, 1, 4]"},
      {{"GatherElements", data_, wild, "--out-of-bounds", "wrap"}, "[2, 4, 2]"},
      {{"Gather", data_, wild, "--out-of-bounds", "fill"}, "[2, 4, 0]"},
      {{"Gather", data_, wild, "--out-of-bounds", "fill", "--fill-value", "-1.5"}, "[   2,    4, -1.5]"},
      {{"Scatter", data_, wild, new_values, "--out-of-bounds", "drop", "--negative-indices", "out_of_bounds"},
       "[ 1, 10,  3,  4]"},
      {{"ScatterElements", data_, wild, new_values, "--out-of-bounds", "drop", "--reduction", "add"},
       "[ 1, 12,  3, 24]"}};
  for (const auto& [words, expected] : cases) {
    EXPECT_THAT(output_of(joined({"op"}, words)), HasSubstr("\n" + expected + "\n"));
  }
}

TEST_F(BeyondOnnx, ExplainsHowIndicesAreRead) {
  const Words rules = {"--out-of-bounds", "fill", "--negative-indices", "out_of_bounds"};
  const Words call = joined({"op", "GatherND", data_, indices_, "--explain-strategy"}, rules);
  EXPECT_THAT(output_of(call),
              HasSubstr("indices outside their axis (including negative ones): fill; some found\n"));
  const auto indices = json_of(call)["strategy"]["indices"];
  EXPECT_EQ(indices["any_out_of_bounds"], true);
  EXPECT_EQ(indices["out_of_bounds"], "fill");
  EXPECT_EQ(indices["negative_indices"], "out_of_bounds");
}

TEST_F(BeyondOnnx, FollowsTheReductionOfItsOptions) {
  const std::string twice = save("twice.npy", *Tensor::of<std::int64_t>({1, 1}, {2, 1}));
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"--reduction", "sub"}, "[  1, -58,   3,   4]"},
      {{"--reduction", "mean", "--no-include-self"}, "[ 1, 30,  3,  4]"},
      {{"--reduction", "add", "--no-include-self"}, "[ 1, 60,  3,  4]"},
      {{"--reduction", "add", "--alpha", "0.5"}, "[ 1, 32,  3,  4]"},
      {{"--reduction", "add", "--acc-dtype", "float32"}, "[ 1, 62,  3,  4]"}};
  const Words call = {"op", "ScatterND", data_, twice, updates_};
  for (const auto& [more, expected] : cases) {
    EXPECT_THAT(output_of(joined(call, more)), HasSubstr("\n" + expected + "\n"));
  }
  expect_refused(gather({"--alpha", "2"}),
                 "op: Gather has no --alpha; it is an option of ScatterElements, ScatterND");
  expect_refused(joined(call, {"--reduction", "add", "--no-include-self", "--opset", "18"}),
                 "op: ONNX has no --no-include-self; leave out --opset");
  expect_refused(joined(call, {"--reduction", "add", "--alpha", "x"}),
                 "--alpha: 'x' is not a value of float32; write a number such as 1.5, inf or nan");
}

TEST_F(BeyondOnnx, RejectsUnknownRules) {
  expect_refused(
      gather({"--out-of-bounds", "clamp"}),
      "--out-of-bounds 'clamp' is not known; choose from error, clip, wrap, fill, drop; did you mean 'clip'?");
  expect_refused(gather({"--negative-indices", "no"}),
                 "--negative-indices 'no' is not known; choose from from_end, out_of_bounds");
  expect_refused(gather({"--out-of-bounds", "drop"}),
                 "gather: out_of_bounds 'drop' is for scatters; a gather has 'fill'");
  expect_refused(gather({"--fill-value", "1"}), "gather: fill_value is for out_of_bounds 'fill', not 'error'");
  expect_refused({"op", "Gather", indices_, indices_, "--out-of-bounds", "fill", "--fill-value", "1.5"},
                 "--fill-value: '1.5' is not a value of int64; write a whole number that fits");
  expect_refused({"op", "ScatterND", data_, indices_, updates_, "--fill-value", "1"},
                 "op: ScatterND has no --fill-value; it is an option of Gather, GatherElements, GatherND");
  expect_refused(gather({"--out-of-bounds", "clip", "--opset", "13"}),
                 "op: ONNX has no --out-of-bounds; leave out --opset");
  expect_refused({"op", "TensorScatter", data_, updates_, "--out-of-bounds", "clip"},
                 "op: TensorScatter has no --out-of-bounds; it is an option of Gather, GatherElements, GatherND, "
                 "ScatterElements, ScatterND");
}

TEST_F(BeyondOnnx, DrawsTheCall) {
  const std::string svg = path("call.svg");
  output_of(scatter_nd({"--reduction", "add", "--picture", svg}));
  EXPECT_THAT(read_file(svg),
              AllOf(HasSubstr("<title>ScatterND-18, reduction=add</title>"), HasSubstr(">22</text>")));
}

TEST_F(BeyondOnnx, DrawsACallThatIsRejectedByTheRulesOfItsVersion) {
  const std::string svg = path("refused.svg");
  const std::string wrong = save("wrong.npy", *Tensor::of<std::int64_t>({1, 9}, {2, 1}));
  expect_refused({"op", "ScatterND", data_, wrong, updates_, "--opset", "13", "--picture", svg},
                 "indices[1, 0] = 9");
  EXPECT_THAT(read_file(svg),
              AllOf(HasSubstr("<title>ScatterND-13, rejected</title>"),
                    HasSubstr("indices[1, 0] = 9 is outside [-4, 3]"), HasSubstr("data-at=\"1,0\"")));
  EXPECT_THAT(read_file(svg), ::testing::ContainsRegex("data-at=\"1,0\">\n.*\n<rect [^>]*#cf222e"));
}

TEST_F(BeyondOnnx, RejectsAPictureUnderAnotherName) {
  expect_refused(
      scatter_nd({"--picture", "call.png"}),
      "strew: --picture call.png: the name of a picture must end in .svg; rsvg-convert converts SVG to PNG\n");
  expect_refused(scatter_nd({"--picture", path("no/such/folder.svg")}),
                 "folder.svg: cannot write: No such file or directory");
}

}  // namespace
}  // namespace strew::app
