// Tests strew run as a child process.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/workplace.h"
#include "strew/tensor_file.h"

namespace strew::app {
namespace {

using ::testing::HasSubstr;

class RunProgram : public Workplace {
 protected:
  RunProgram()
      : model_(save("model.onnx", scatter_model())),
        data_("data=" + save("data.npy", *Tensor::of<float>({1, 2, 3, 4}, {4}))),
        indices_("indices=" + save("indices.pb", *Tensor::of<std::int64_t>({1, -1}, {2, 1}))),
        updates_("updates=" + save("updates.npy", *Tensor::of<float>({20, 40}, {2}))) {}

  Words run(const Words& more = {}) const {
    return joined({"run", model_, "-i", data_, "-i", indices_, "-i", updates_}, more);
  }

  std::string model_, data_, indices_, updates_;
};

TEST_F(RunProgram, ShowsOutputsTimeAndRate) {
  const Ended ended = run_program(run());
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, ::testing::MatchesRegex("y  float32 \\[4\\]  16 B\n\\[ 1, 20,  3, 40\\]\n\n"
                                                 "[0-9.]+ [um]s \\(inputs and outputs: 56 B\\)\n"));
}

TEST_F(RunProgram, ReadsStandardInputAndWritesStandardOutput) {
  const Ended ended = run_program({"run", model_, "-i", "data=-", "-i", indices_, "-i", updates_, "-o", "y=-"},
                                  *serialize_npy(*Tensor::of<float>({5, 6, 7, 8}, {4})));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, *serialize_npy(*Tensor::of<float>({5, 20, 7, 40}, {4})));
  EXPECT_THAT(ended.err, HasSubstr("-> -\n[ 5, 20,  7, 40]"));
  EXPECT_THAT(run_program(run({"-o", "y=-", "--json"})).err,
              HasSubstr("standard output takes the tensor or --json, not both"));
}

TEST_F(RunProgram, NamesAllInputsThatHaveNoFile) {
  expect_refused({"run", model_}, "no file for inputs 'data', 'indices', 'updates'; give -i NAME=FILE");
  expect_refused({"run", model_, "-i", data_, "-i", indices_}, "no file for input 'updates'; give -i NAME=FILE");
  expect_refused({"run", model_, "-i", "data.npy"},
                 "-i data.npy: write NAME=FILE; inputs of the model: 'data', 'indices', 'updates'");
  expect_refused({"run", model_, "data.npy"}, "data.npy; inputs are given as -i NAME=FILE");
  expect_refused({"run", model_, "-i", "dta=data.npy"}, "'updates'; did you mean 'data'?");
}

TEST_F(RunProgram, RecognizesFilesThatAreNoModels) {
  const std::string array = save("array.npy", *Tensor::of<float>({1}, {1}));
  for (const char* command : {"run", "check"}) {
    expect_refused({command, array}, "array.npy: not an ONNX model but a NumPy array (.npy)");
  }
  expect_refused({"check", save_text("junk.onnx", "just some text\n")}, "junk.onnx: not an ONNX model but text");
  expect_refused({"check", save_text("all.npz", "PK\3\4")},
                 "not an ONNX model but a zip archive, as .npz files are");
  expect_refused({"check", save_text("model.ort", std::string("\x10\0\0\0ORTM\0\0\0\0", 12))},
                 "model.ort: not an ONNX model but an ONNX Runtime model (.ort); pass the .onnx file");
}

TEST_F(RunProgram, SavesOutputs) {
  EXPECT_THAT(output_of(run({"-o", "y=" + path("y.pb"), "--repeat", "2", "--hash"})),
              AllOf(HasSubstr("-> " + path("y.pb")), HasSubstr("(median of 2)"), HasSubstr("hash ")));
  const auto saved = load_tensor_pb(path("y.pb"));
  ASSERT_TRUE(saved.has_value());
  EXPECT_EQ(saved->name, "y");
  EXPECT_THAT(saved->tensor.values<float>(), ::testing::ElementsAre(1, 20, 3, 40));
}

TEST_F(RunProgram, ReportsTheRunInJson) {
  const auto json = json_of(run({"--threads", "1"}));
  EXPECT_EQ(json["model"], model_);
  EXPECT_EQ(json["inputs"].size(), 3u);
  EXPECT_EQ(json["outputs"][0]["name"], "y");
  EXPECT_EQ(json["outputs"][0]["dtype"], "float32");
  EXPECT_EQ(json["outputs"][0]["values"], nlohmann::json::parse("[1, 20, 3, 40]"));
  EXPECT_EQ(json["bytes"], 56);
  EXPECT_EQ(json["threads"], 1);
}

TEST_F(RunProgram, GivesAListTheTypeThatTheModelDeclares) {
  const Words lists = {"run", model_, "-i", "data=[1, 2, 3, 4]", "-i", "indices=[[1], [-1]]", "-i"};
  const auto json = json_of(joined(lists, {"updates=[20, 40]"}));
  EXPECT_EQ(json["inputs"][0]["dtype"], "float32");
  EXPECT_EQ(json["outputs"][0]["values"], nlohmann::json::parse("[1, 20, 3, 40]"));
  expect_refused(joined(lists, {"updates:int8=[20, 40]"}),
                 "input 'updates' is int8 [2]; the model declares float32 [2]");
}

TEST_F(RunProgram, RejectsNamesTheModelDoesNotHave) {
  expect_refused(run({"-i", "x=file.npy"}),
                 "strew: -i x=file.npy: the model has no input 'x'; it has 'data', 'indices', 'updates'\n");
  expect_refused(run({"-o", "z=file.npy"}), "strew: -o z=file.npy: the model has no output 'z'; it has 'y'\n");
  expect_refused(run({"-i", data_}), "input 'data' is given twice");
  expect_refused(run({"-o", "y"}), "strew: -o y: write NAME=FILE; outputs of the model: 'y'\n");
}

TEST_F(RunProgram, RejectsOneFileForTwoOutputs) {
  const std::string data = save("x.npy", *Tensor::of<float>({1}, {1}));
  const std::string two = save("two.onnx", testing::ModelBuilder(18)
                                               .input("x", DType::kFloat32, testing::TestShape{1})
                                               .node("Identity", {"x"}, {"y"})
                                               .node("Identity", {"x"}, {"z"})
                                               .output("y", DType::kFloat32, testing::TestShape{1})
                                               .output("z", DType::kFloat32, testing::TestShape{1}));
  std::filesystem::create_directory_symlink(".", path("link"));
  for (const std::string other : {"a.npy", "./a.npy", "x/../a.npy", "link/a.npy"}) {
    expect_refused({"run", two, "-i", "x=" + data, "-o", "y=" + path("a.npy"), "-o", "z=" + path(other)},
                   "strew: -o: outputs 'y' and 'z' go to the same file " + path(other) + "\n");
    EXPECT_FALSE(std::filesystem::exists(path("a.npy")));
  }
}

TEST_F(RunProgram, NamesMissingFiles) {
  expect_refused({"run", path("absent.onnx")}, "absent.onnx: cannot open: No such file");
  expect_refused(run({"-o", "y=" + path("no/such/folder/y.npy")}), "no/such/folder/y.npy");
}

// A model of a Relu, and a Gather of rows 0 and 3 of its output.
testing::ModelBuilder whole_model() {
  return testing::ModelBuilder(17)
      .input("x", DType::kFloat32, {{4, 2}})
      .initializer(testing::tensor_message<std::int64_t>("rows", {0, 3}, {2}))
      .node("Relu", {"x"}, {"/relu:out"}, {}, "relu")
      .node("Gather", {"/relu:out", "rows"}, {"y"}, {}, "pick")
      .value_info("/relu:out", DType::kFloat32, {{4, 2}})
      .output("y", DType::kFloat32, std::nullopt);
}

TEST_F(RunProgram, NamesOtherOperatorsBeforeMissingFiles) {
  const std::string model = save("whole.onnx", whole_model());
  expect_refused({"run", model}, model + ": 1 node is not a gather, scatter, Constant or Identity: Relu 1; ");
  expect_refused({"run", model}, "; --node NAME runs one gather or scatter ('strew check' shows them)");
}

TEST_F(RunProgram, RunsOneNodeOfAWholeModel) {
  const std::string model = save("whole.onnx", whole_model());
  const std::string x = save("x.npy", *Tensor::of<float>({1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}));
  for (const std::string name : {"data", "/relu:out"}) {
    const auto output = json_of({"run", model, "--node", "pick", "-i", name + "=" + x})["outputs"][0];
    EXPECT_EQ(output["name"], "y");
    EXPECT_EQ(output["values"], nlohmann::json::parse("[[1.0, 2.0], [7.0, 8.0]]"));
  }
  const std::string rows = save("rows.npy", *Tensor::of<std::int64_t>({1, 1}, {2}));
  const std::string out = path("out.npy");
  output_of(
      {"run", model, "--node", "#1", "-i", "data:float32=" + x, "-i", "indices=" + rows, "-o", "output=" + out});
  EXPECT_THAT(load_tensor(out)->values<float>(), ::testing::ElementsAre(3, 4, 3, 4));
  expect_refused({"run", model, "--node", "pick"},
                 model +
                     ": no file for input '/relu:out'; give -i NAME=FILE; the operator's names: data for "
                     "'/relu:out', indices for 'rows'");
  expect_refused({"run", model, "--node", "pick", "-o", "z=" + out},
                 "the model has no output 'z'; it has 'y'; the operator's names: output for 'y'");
  expect_refused({"run", model, "--node", "relu"},
                 model + ": node 'relu' is Relu; it must be a gather or scatter");
}

}  // namespace
}  // namespace strew::app
