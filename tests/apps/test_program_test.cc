// Tests strew test as a child process.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/workplace.h"

namespace strew::app {
namespace {

using ::testing::HasSubstr;

class TestProgram : public Workplace {
 protected:
  // Expects the test in this folder to fail, and to print this text.
  void expect_failed(const std::string& folder, const std::string& text) const {
    EXPECT_THAT(output_of({"test", path(folder)}, 1), HasSubstr(text));
  }
};

TEST_F(TestProgram, PassesRightResults) {
  save_scatter_test("tests/deep/below/right");
  const std::string out = output_of({"test", path("tests")});
  EXPECT_THAT(out, HasSubstr("pass  " + path("tests/deep/below/right") + "  "));
  EXPECT_THAT(out, ::testing::EndsWith("\n1 passed, 0 failed\n"));
}

TEST_F(TestProgram, FailsWrongResultsAndNamesThePlace) {
  save_scatter_test("tests/right");
  save_scatter_test("tests/wrong");
  save("tests/wrong/test_data_set_0/output_0.pb", *Tensor::of<float>({1, 20, 3, 41}, {4}));
  expect_failed("tests",
                "FAIL  " + path("tests/wrong") +
                    ": test_data_set_0: output 0 'y': 1 of 4 values differ, first [3]: got 40, expected 41; "
                    "largest error 1 absolute, 0.0244 relative\n");
  expect_failed("tests", "\n1 passed, 1 failed\n");
}

TEST_F(TestProgram, ComparesBitsOnRequest) {
  save_scatter_test("near");
  save("near/test_data_set_0/output_0.pb", *Tensor::of<float>({1, 20.0001f, 3, 40}, {4}));
  EXPECT_EQ(run_program({"test", path("near")}).code, 0);
  EXPECT_EQ(run_program({"test", path("near"), "--exact"}).code, 1);
}

TEST_F(TestProgram, ReadsTolerancesFromDataJson) {
  save_scatter_test("far");
  save("far/test_data_set_0/output_0.pb", *Tensor::of<float>({1, 21, 3, 40}, {4}));
  EXPECT_EQ(run_program({"test", path("far")}).code, 1);
  save_text("far/data.json", R"({"rtol": 0.1})");
  EXPECT_EQ(run_program({"test", path("far")}).code, 0);
  save_text("far/data.json", R"({"rtol": "much"})");
  expect_failed("far", "data.json: \"rtol\" is not a number");
}

TEST_F(TestProgram, RequiresTheExpectedErrorOfARun) {
  save_scatter_test("bad");
  save("bad/test_data_set_0/input_1.pb", *Tensor::of<std::int64_t>({1, 4}, {2, 1}));
  std::filesystem::remove(path("bad/test_data_set_0/output_0.pb"));
  save_text("bad/test_data_set_0/expect_error.txt", "indices[1, 0] = 4 is outside\n");
  output_of({"test", path("bad")});
  save_text("bad/test_data_set_0/expect_error.txt", "another error");
  expect_failed("bad", "expected a message with \"another error\"");
}

TEST_F(TestProgram, FailsARunThatShouldHaveFailed) {
  save_scatter_test("good");
  save_text("good/expect_error.txt", "something");
  expect_failed("good", "ran, expected an error with \"something\"");
}

TEST_F(TestProgram, RequiresTheExpectedErrorOfAModel) {
  save("model_error/model.onnx", broken_model());
  save_text("model_error/expect_error.txt", "reduction 'max'");
  EXPECT_EQ(run_program({"test", path("model_error")}).code, 0);
  save_text("model_error/expect_error.txt", "batch_dims");
  EXPECT_EQ(run_program({"test", path("model_error")}).code, 1);
}

TEST_F(TestProgram, FailsATestWithoutDataOrOutputs) {
  save("empty/model.onnx", scatter_model());
  expect_failed("empty", "no test_data_set_N folder");
  save_scatter_test("half");
  std::filesystem::remove(path("half/test_data_set_0/output_0.pb"));
  expect_failed("half", "neither output_J.pb nor expect_error.txt");
}

TEST_F(TestProgram, FailsASurplusInput) {
  save_scatter_test("surplus");
  save("surplus/test_data_set_0/input_3.pb", *Tensor::of<float>({1}, {1}));
  expect_failed("surplus", "input_3.pb: the model has only 3 inputs");
}

TEST_F(TestProgram, RejectsFoldersWithoutTests) {
  save_text("nothing/readme.txt", "");
  expect_refused({"test", path("nothing")},
                 "strew: " + path("nothing") + ": no model.onnx here or in any folder below\n");
  expect_refused({"test", path("nothing/readme.txt")}, path("nothing/readme.txt") + ": not a folder\n");
  const auto absent = nlohmann::json::parse(output_of({"test", path("absent"), "--json"}, 2));
  EXPECT_EQ(absent["error"]["where"], path("absent"));
}

TEST_F(TestProgram, ReportsTestsInJson) {
  save_scatter_test("right");
  const auto json = json_of({"test", path("right"), "--threads", "2"});
  EXPECT_EQ(json["passed"], 1);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(json["tests"][0]["path"], path("right"));
  EXPECT_TRUE(json["tests"][0]["message"].is_null());
}

}  // namespace
}  // namespace strew::app
