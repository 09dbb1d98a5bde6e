// strew test, from outside.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/workplace.h"

namespace strew::app {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class TestProgram : public Workplace {};

TEST_F(TestProgram, PassesWhatIsRight) {
  save_scatter_test("tests/deep/below/right");
  const Ended ended = run_program({"test", path("tests")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("pass  " + path("tests/deep/below/right") + "  "));
  EXPECT_THAT(ended.out, EndsWith("\n1 passed, 0 failed\n"));
  EXPECT_EQ(ended.err, "");
}

TEST_F(TestProgram, FailsWhatIsWrongAndSaysWhere) {
  save_scatter_test("tests/right");
  save_scatter_test("tests/wrong");
  save("tests/wrong/test_data_set_0/output_0.pb", *Tensor::of<float>({1, 20, 3, 41}, {4}));
  const Ended ended = run_program({"test", path("tests")});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out,
              HasSubstr("FAIL  " + path("tests/wrong") +
                        ": test_data_set_0: output 0 'y': 1 of 4 values differ, first [3]: got 40, expected 41; "
                        "largest error 1 absolute, 0.0244 relative\n"));
  EXPECT_THAT(ended.out, EndsWith("\n1 passed, 1 failed\n"));
}

TEST_F(TestProgram, ComparesBitsWhereExact) {
  save_scatter_test("near");
  save("near/test_data_set_0/output_0.pb", *Tensor::of<float>({1, 20.0001f, 3, 40}, {4}));
  EXPECT_EQ(run_program({"test", path("near")}).code, 0);
  EXPECT_EQ(run_program({"test", path("near"), "--exact"}).code, 1);
}

TEST_F(TestProgram, TakesTolerancesFromDataJson) {
  save_scatter_test("far");
  save("far/test_data_set_0/output_0.pb", *Tensor::of<float>({1, 21, 3, 40}, {4}));
  EXPECT_EQ(run_program({"test", path("far")}).code, 1);
  save_text("far/data.json", R"({"rtol": 0.1})");
  EXPECT_EQ(run_program({"test", path("far")}).code, 0);
  save_text("far/data.json", R"({"rtol": "much"})");
  const Ended ended = run_program({"test", path("far")});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("data.json: \"rtol\" is not a number"));
}

TEST_F(TestProgram, WantsTheExpectedErrorOfARun) {
  save_scatter_test("bad");
  save("bad/test_data_set_0/input_1.pb", *Tensor::of<std::int64_t>({1, 4}, {2, 1}));
  std::filesystem::remove(path("bad/test_data_set_0/output_0.pb"));
  save_text("bad/test_data_set_0/expect_error.txt", "indices[1, 0] = 4 is outside\n");
  const Ended expected = run_program({"test", path("bad")});
  EXPECT_EQ(expected.code, 0) << expected.out;
  save_text("bad/test_data_set_0/expect_error.txt", "another error");
  const Ended other = run_program({"test", path("bad")});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.out, HasSubstr("expected a message with \"another error\""));
}

TEST_F(TestProgram, FailsARunThatShouldHaveFailed) {
  save_scatter_test("good");
  save_text("good/expect_error.txt", "something");
  const Ended ended = run_program({"test", path("good")});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("ran, expected an error with \"something\""));
}

TEST_F(TestProgram, WantsTheExpectedErrorOfAModel) {
  OneNode model = scatter_model();
  model.opset = 17;
  model.strings = {{"reduction", "max"}};
  save("model_error/model.onnx", model);
  save_text("model_error/expect_error.txt", "reduction 'max'");
  EXPECT_EQ(run_program({"test", path("model_error")}).code, 0);
  save_text("model_error/expect_error.txt", "batch_dims");
  EXPECT_EQ(run_program({"test", path("model_error")}).code, 1);
}

TEST_F(TestProgram, FailsATestWithoutDataOrOutputs) {
  save("empty/model.onnx", scatter_model());
  const Ended empty = run_program({"test", path("empty")});
  EXPECT_EQ(empty.code, 1);
  EXPECT_THAT(empty.out, HasSubstr("no test_data_set_N folder"));
  save_scatter_test("half");
  std::filesystem::remove(path("half/test_data_set_0/output_0.pb"));
  const Ended half = run_program({"test", path("half")});
  EXPECT_EQ(half.code, 1);
  EXPECT_THAT(half.out, HasSubstr("neither output_J.pb nor expect_error.txt"));
}

TEST_F(TestProgram, FailsASurplusInput) {
  save_scatter_test("surplus");
  save("surplus/test_data_set_0/input_3.pb", *Tensor::of<float>({1}, {1}));
  const Ended ended = run_program({"test", path("surplus")});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("input_3.pb: the model has only 3 inputs"));
}

TEST_F(TestProgram, RefusesFoldersWithoutTests) {
  save_text("nothing/readme.txt", "");
  const Ended nothing = run_program({"test", path("nothing")});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_EQ(nothing.err, "strew: test: no model.onnx in " + path("nothing") + " or in any folder below it\n");
  const Ended absent = run_program({"test", path("absent")});
  EXPECT_EQ(absent.code, 2);
  EXPECT_THAT(absent.err, HasSubstr("absent"));
}

TEST_F(TestProgram, AccountsInJson) {
  save_scatter_test("right");
  const Ended ended = run_program({"test", path("right"), "--json", "--threads", "2"});
  EXPECT_EQ(ended.code, 0);
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["passed"], 1);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(json["tests"][0]["path"], path("right"));
  EXPECT_TRUE(json["tests"][0]["message"].is_null());
}

}  // namespace
}  // namespace strew::app
