// strew check, from outside.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/workplace.h"

namespace strew::app {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CheckProgram : public Workplace {
 protected:
  OneNode broken() const {
    OneNode model = scatter_model();
    model.opset = 17;
    model.strings = {{"reduction", "max"}};
    return model;
  }
};

TEST_F(CheckProgram, ShowsNodesWithTypesAndShapes) {
  const std::string model = save("model.onnx", scatter_model());
  const Ended ended = run_program({"check", model});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, StartsWith(model + ": opset 18, IR version 8, 1 node\nnode 'upd' (ScatterND-18)\n"));
  EXPECT_THAT(ended.out, HasSubstr("  indices    indices  int64 [2, 1]\n"));
  EXPECT_THAT(ended.out, HasSubstr("  -> output  y        float32 [4]\n"));
  EXPECT_THAT(ended.out, EndsWith("\nno violations\n"));
}

TEST_F(CheckProgram, NamesTheNodeOfEveryViolation) {
  const std::string model = save("broken.onnx", broken());
  const Ended ended = run_program({"check", model});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.out, HasSubstr(model + ": node 'upd' (ScatterND-16): "));
  EXPECT_THAT(ended.out, HasSubstr("reduction 'max'"));
  EXPECT_THAT(ended.out, HasSubstr("18"));
  EXPECT_THAT(ended.out, EndsWith("\n1 violation\n"));
}

TEST_F(CheckProgram, SaysTheSameInJson) {
  const auto good =
      nlohmann::json::parse(run_program({"check", save("good.onnx", scatter_model()), "--json"}).out);
  EXPECT_EQ(good["ok"], true);
  EXPECT_EQ(good["nodes"][0]["version"], 18);
  EXPECT_EQ(good["nodes"][0]["outputs"][0]["shape"], nlohmann::json::parse("[4]"));
  const Ended ended = run_program({"check", save("broken.onnx", broken()), "--json"});
  EXPECT_EQ(ended.code, 2);
  const auto bad = nlohmann::json::parse(ended.out);
  EXPECT_EQ(bad["ok"], false);
  EXPECT_EQ(bad["violations"][0]["node"], "upd");
  EXPECT_TRUE(bad["violations"][0]["code"].is_string());
}

TEST_F(CheckProgram, AcceptsADeprecatedOperatorOnlyWhereAsked) {
  OneNode model = scatter_model();
  model.op_type = "Scatter";
  model.opset = 11;
  model.inputs[1].dims = {2};
  const std::string file = save("scatter.onnx", model);
  const Ended refused = run_program({"check", file});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.out, HasSubstr("deprecated"));
  EXPECT_EQ(run_program({"check", file, "--allow-deprecated"}).code, 0);
}

TEST_F(CheckProgram, ShowsTheOpsetOfTheModelAlsoWhereItIsNotKnown) {
  OneNode model = scatter_model();
  model.opset = 99;
  const Ended ended = run_program({"check", save("new.onnx", model)});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.out, HasSubstr("opset 99, IR version"));
  EXPECT_THAT(ended.out, HasSubstr("opset 99 is not known; the newest is 28"));
}

TEST_F(CheckProgram, SaysThatAFileIsNoModel) {
  expect_refused({"check", save_text("junk.onnx", "just some text\n")}, "junk.onnx: not a readable ONNX model: ");
}

}  // namespace
}  // namespace strew::app
