// Tests strew op as a child process.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/workplace.h"
#include "strew/tensor_file.h"

namespace strew::app {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

using OpProgram = ScatterFiles;

TEST_F(OpProgram, SavesAndDescribesTheResult) {
  const std::string out = path("out.npy");
  const Ended ended = run_program(scatter_nd({"--reduction", "add", "-o", out}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_THAT(ended.out, MatchesRegex(".*/out.npy  float32 \\[4\\]  16 B  [0-9.]+ [um]s\n"
                                      "\\[ 1, 22,  3, 44\\]\n"));
  const auto saved = load_npy(out);
  ASSERT_TRUE(saved.has_value());
  EXPECT_THAT(saved->values<float>(), ::testing::ElementsAre(1, 22, 3, 44));
}

TEST_F(OpProgram, CallsScatterByItsName) {
  const std::string wrong = save("wrong.npy", *Tensor::of<std::int64_t>({1, 9}, {2}));
  expect_refused({"op", "Scatter", data_, wrong, updates_}, "strew: scatter: indices[1] = 9 is outside [-4, 3]");
  expect_refused({"op", "ScatterElements", data_, wrong, updates_}, "strew: scatter_elements: indices[1] = 9");
}

TEST_F(OpProgram, DescribesErrorsInJson) {
  const std::string wrong = save("wrong.npy", *Tensor::of<std::int64_t>({1, 9}, {2, 1}));
  const auto error_of = [&](const Words& arguments) { return json_of(arguments)["error"]; };
  const auto index = error_of({"op", "ScatterND", data_, wrong, updates_});
  EXPECT_EQ(index["code"], "index out of range");
  EXPECT_EQ(index["operator"], "scatter_nd");
  EXPECT_EQ(index["operand"], "indices");
  EXPECT_EQ(index["axis"], 0);
  EXPECT_EQ(index["position"], nlohmann::json({1, 0}));
  EXPECT_EQ(index["value"], 9);
  EXPECT_TRUE(index["where"].is_null());
  const auto axis = error_of(gather({"--opset", "13", "--axis", "4"}));
  EXPECT_EQ(axis["where"], "Gather-13");
  EXPECT_EQ(axis["operand"], "axis");
  EXPECT_EQ(axis["value"], 4);
  EXPECT_TRUE(axis["axis"].is_null());
  EXPECT_TRUE(axis["position"].is_null());
  const auto file = error_of({"op", "Gather", path("none.npy"), indices_});
  EXPECT_EQ(file["where"], path("none.npy"));
  EXPECT_TRUE(file["operator"].is_null());
  EXPECT_TRUE(error_of({"op", "Foo", data_, indices_})["where"].is_null());
}

TEST_F(OpProgram, PointsToStrewDaskIfMemoryIsTooSmall) {
  constexpr std::int64_t kMany = std::int64_t{1} << 20;
  const std::string row = save("row.npy", *Tensor::zeros(DType::kFloat32, {1, kMany}));
  const std::string many = save("many.npy", *Tensor::zeros(DType::kInt8, {kMany}));
  const Words call = {"op", "Gather", row, many};
  expect_refused(
      call, "a tensor of float32 [1048576, 1048576] takes 4398046511104 bytes; memory and swap together have ", 1);
  expect_refused(call,
                 "; the Python module strew.dask handles arrays that are larger than memory (docs/dask.md)\n", 1);
}

TEST_F(OpProgram, RejectsNumbersThatDoNotFit) {
  expect_refused(gather({"--axis", "99999999999999999999"}),
                 "99999999999999999999 is not a whole number of 64 bits");
  expect_refused(gather({"--axis", "1.5"}), "1.5 is not a whole number");
}

TEST_F(OpProgram, RunsAndExplainsEveryOperator) {
  const std::string matrix = save("matrix.npy", *Tensor::of<float>({0, 1, 2, 3, 4, 5}, {2, 3}));
  const std::string ones = save("ones.npy", *Tensor::of<std::int32_t>({1, 0}, {1, 2}));
  const std::string new_values = save("new.npy", *Tensor::of<float>({8, 9}, {1, 2}));
  const std::string update = save("update.npy", *Tensor::of<float>({8, 9}, {2, 1}));
  const std::string at = save("at.npy", *Tensor::of<std::int64_t>({2, 0}, {2}));
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"Gather", matrix, ones, "--axis", "-1"}, "[[[1, 0]],\n\n [[4, 3]]]"},
      {{"GatherElements", matrix, ones, "--axis", "1"}, "[[1, 0]]"},
      {{"GatherND", matrix, ones}, "[3]"},
      {{"GatherND", matrix, indices_, "--batch-dims", "1"}, "[1, 5]"},
      {{"Scatter", matrix, ones, new_values, "--axis", "1"}, "[[9, 8, 2],\n [3, 4, 5]]"},
      {{"ScatterElements", matrix, ones, new_values, "--axis", "1", "--reduction", "max"},
       "[[9, 8, 2],\n [3, 4, 5]]"},
      {{"ScatterND", data_, indices_, updates_}, "[ 1, 20,  3, 40]"},
      {{"TensorScatter", matrix, update, at, "--axis", "1"}, "[[0, 1, 8],\n [9, 4, 5]]"},
      {{"TensorScatter", matrix, update, "--axis", "1", "--mode", "circular"}, "[[8, 1, 2],\n [9, 4, 5]]"}};
  for (const auto& [words, expected] : cases) {
    SCOPED_TRACE(words.front());
    const Words call = joined({"op"}, words);
    EXPECT_THAT(output_of(call), HasSubstr("\n" + expected + "\n"));
    EXPECT_THAT(output_of(joined(call, {"--explain-strategy"})), HasSubstr("strategy serial, 1 task: "));
  }
}

TEST_F(OpProgram, RejectsWhatTheOperatorLacks) {
  expect_refused(scatter_nd({"--axis", "1"}),
                 "strew: op: ScatterND-18 has no attribute 'axis'; it has reduction\n");
  expect_refused(
      scatter_nd({"--reduction", "sum"}),
      "strew: --reduction 'sum' is not known; choose from none, add, mul, max, min, sub, div, and, or, xor, "
      "mean; did you mean 'add'?\n");
  expect_refused({"op", "scatternd", data_, indices_, updates_},
                 "no operator 'scatternd'; choose from Gather, GatherElements, GatherND");
  expect_refused({"op", "TensorScatter", data_},
                 "strew: op: TensorScatter takes past_cache update [write_indices], each a file or a list such as "
                 "[[3],[0]]; 1 given\n");
}

TEST_F(OpProgram, FollowsTheVersionOfAnOpset) {
  output_of(scatter_nd({"--reduction", "max", "--opset", "18"}));
  expect_refused(scatter_nd({"--reduction", "max", "--opset", "16"}), "ScatterND-16");
  const std::string narrow = save("narrow.npy", *Tensor::of<std::int32_t>({1, -1}, {2, 1}));
  output_of({"op", "ScatterND", data_, narrow, updates_});
  expect_refused({"op", "ScatterND", data_, narrow, updates_, "--opset", "18"}, "int32");
  expect_refused({"op", "Scatter", data_, indices_, updates_, "--opset", "11"}, "deprecated");
}

TEST_F(OpProgram, NamesABadIndex) {
  const std::string bad = save("bad.npy", *Tensor::of<std::int64_t>({1, 7}, {2, 1}));
  expect_refused({"op", "ScatterND", data_, bad, updates_, "-o", path("none.npy")},
                 "strew: scatter_nd: indices[1, 0] = 7 is outside [-4, 3] for axis 0 of data with shape [4]\n");
  EXPECT_FALSE(std::filesystem::exists(path("none.npy")));
}

TEST_F(OpProgram, RejectsDuplicatesOnRequest) {
  const Words call = {"op", "ScatterND", data_, save("twice.npy", *Tensor::of<std::int64_t>({1, -3}, {2, 1})),
                      updates_};
  output_of(call);
  expect_refused(joined(call, {"--reject-duplicates"}), "duplicates");
}

TEST_F(OpProgram, RoundsNumbersOnce) {
  // The numbers lie above a tie by less than float32 resolves.
  EXPECT_THAT(output_of({"op", "Gather", "[1.000488281251, -1e-60, 1e300]", "[0, 1, 2]", "--dtype", "float16"}),
              HasSubstr("[1.001,    -0,   inf]"));
  EXPECT_THAT(output_of({"op", "Gather", "[1.003906250001]", "[0]", "--dtype", "bfloat16"}), HasSubstr("[1.01]"));
}

TEST_F(OpProgram, ReadsRawBytesAsAType) {
  // NumPy lacks bfloat16 and writes elements as two raw bytes.
  const std::string header = "{'descr': '|V2', 'fortran_order': False, 'shape': (2,), }";
  std::string raw = std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + header;
  raw += std::string(128 - 1 - raw.size(), ' ') + "\n" + std::string("\x80\x3F\x00\x40", 4);
  const std::string file = save_text("raw.npy", raw);
  const std::string zero = save("zero.npy", *Tensor::of<std::int64_t>({1, 1, 0}, {3}));
  EXPECT_THAT(output_of({"op", "Gather", file, zero, "--dtype", "bfloat16"}),
              AllOf(StartsWith("output  bfloat16 [3]  6 B"), HasSubstr("[2, 2, 1]")));
  expect_refused({"op", "Gather", file, zero}, "raw 2-byte elements");
  expect_refused({"op", "Gather", file, zero, "--dtype", "bf16"},
                 "strew: --dtype: no element type 'bf16'; choose from float32, uint8");
  expect_refused({"op", "Gather", file, zero, "--dtype", "bfloat"}, "did you mean 'bfloat16'?");
}

TEST_F(OpProgram, GivesTheSameHashForAnyThreads) {
  const auto one = json_of(scatter_nd({"--hash", "--threads", "1"}));
  const auto three = json_of(scatter_nd({"--hash", "--threads", "3"}));
  EXPECT_EQ(one["output"]["hash"].get<std::string>().size(), 16u);
  EXPECT_EQ(one["output"]["hash"], three["output"]["hash"]);
  EXPECT_EQ(one["threads"], 1);
  EXPECT_EQ(three["threads"], 3);
}

TEST_F(OpProgram, ReportsTheCallInJson) {
  const auto json = json_of(scatter_nd({"--repeat", "3", "-o", path("out.pb")}));
  EXPECT_EQ(json["operator"], "ScatterND");
  EXPECT_TRUE(json["version"].is_null());
  EXPECT_EQ(json["inputs"][1]["name"], "indices");
  EXPECT_EQ(json["inputs"][1]["shape"], nlohmann::json::parse("[2, 1]"));
  EXPECT_EQ(json["output"]["values"], nlohmann::json::parse("[1, 20, 3, 40]"));
  EXPECT_EQ(json["output"]["file"], path("out.pb"));
  EXPECT_EQ(json["repeat"], 3);
  EXPECT_EQ(json["bytes"], 16 + 16 + 8 + 16);
  EXPECT_GT(json["seconds"], 0);
}

TEST_F(OpProgram, ExplainsItsStrategy) {
  const std::string large = save("large.npy", *Tensor::zeros(DType::kFloat32, {100'000}));
  const std::string many = save("many.npy", *Tensor::zeros(DType::kInt64, {50'000}));
  const Words call = {"op", "GatherElements", large, many, "--explain-strategy", "--threads", "2"};
  EXPECT_THAT(output_of(call),
              AllOf(HasSubstr("strategy split_positions, 2 tasks: a gather writes every position once\n"),
                    HasSubstr("indices 0 to 0 on the first indexed axis\n"), HasSubstr("never partition:")));
  const auto json = json_of(joined(call, {"--strategy", "serial"}))["strategy"];
  EXPECT_EQ(json["name"], "serial");
  EXPECT_EQ(json["reason"], "forced");
  EXPECT_EQ(json["indices"]["highest"], 0);
  EXPECT_EQ(json["considered"].back()["name"], "serial");
  EXPECT_TRUE(json["considered"].back()["applies"]);
}

TEST_F(OpProgram, RejectsAStrategyThatIsUnknownOrDoesNotApply) {
  expect_refused(gather({"--strategy", "guess"}),
                 "--strategy guess: no such strategy; choose from serial, split_positions, copy_blocks");
  expect_refused(gather({"--strategy", "partition"}), "strategy partition does not apply");
  expect_refused(gather({"--scratch-limit", "-1"}),
                 "--scratch-limit: -1 is not a size; write bytes, or K, M, G, T for powers of 1024, as in 512M");
}

TEST_F(OpProgram, AcceptsSizesInPowersOf1024) {
  const std::string data = save("wide.npy", *Tensor::zeros(DType::kFloat32, {100}));
  const std::string many = save("many.npy", *Tensor::zeros(DType::kInt64, {300, 1}));
  const std::string ones = save("ones.npy", *Tensor::zeros(DType::kFloat32, {300}));
  const auto with = [&](const std::string& size) {
    return run_program(
        {"op", "ScatterND", data, many, ones, "--strategy", "private_copy", "--scratch-limit", size});
  };
  for (const char* enough : {"1000", "1K", "512M", "2G", "1T", "1KiB", "8388607T"}) {
    EXPECT_EQ(with(enough).code, 0) << enough << ": " << with(enough).err;
  }
  for (const char* little : {"0", "100", "0G"}) EXPECT_EQ(with(little).code, 2) << little;
  for (const char* none : {"1g", "1KB", "G", "1.5G", "8388608T", "1Gi", "1 G", ""}) {
    EXPECT_THAT(with(none).err, HasSubstr("--scratch-limit")) << none;
  }
}

std::string bytes_of(const Tensor& tensor) { return *serialize_npy(tensor); }

TEST_F(OpProgram, ReadsStandardInputAndWritesStandardOutput) {
  const Ended ended = run_program({"op", "ScatterND", "-", indices_, updates_, "-o", "-"},
                                  bytes_of(*Tensor::of<float>({5, 6, 7}, {3})));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, bytes_of(*Tensor::of<float>({5, 20, 40}, {3})));
  EXPECT_THAT(ended.err, MatchesRegex("-  float32 \\[3\\]  12 B  [0-9.]+ [um]s\n\\[ 5, 20, 40\\]\n"));
  const Ended message =
      run_program({"op", "Gather", data_, "-"}, *serialize_tensor_pb(*Tensor::of<std::int64_t>({3, 0}, {2})));
  EXPECT_THAT(message.out, HasSubstr("[4, 1]"));
}

TEST_F(OpProgram, RejectsWhatAStandardStreamCannotDo) {
  expect_refused(
      {"op", "Gather", data_, "-"},
      "standard input: empty; it must have a .npy or .pb file, and only one operand can be read from it");
  const Ended json = run_program(gather({"-o", "-", "--json"}));
  EXPECT_EQ(json.code, 2);
  EXPECT_THAT(json.err, HasSubstr("-o -: standard output takes the tensor or --json, not both"));
  for (const auto& [input, reason] :
       {std::pair("PK\3\4", "standard input: an archive"),
        {"hello\n", "strew: standard input: neither a .npy file nor an ONNX tensor but text\n"},
        {"\x2c\x01",
         "strew: standard input: neither a .npy file nor an ONNX tensor (field 5: byte 0: wire type 4 is not "
         "allowed)\n"}}) {
    EXPECT_THAT(run_program({"op", "Gather", data_, "-"}, input).err, HasSubstr(reason));
  }
  expect_refused({"op", "Gather", data_, save_text("notes.pb", "to do:\n\tnothing\r\n")},
                 "notes.pb: neither a .npy file nor an ONNX tensor but text");
}

TEST_F(OpProgram, ReadsAnArrayOfAnArchiveByItsName) {
  const Tensor table = *Tensor::of<float>({7, 8, 9}, {3});
  const Tensor rows = *Tensor::of<std::int64_t>({2, 0}, {2});
  const std::vector<std::pair<std::string, TensorView>> arrays = {{"table", table}, {"rows", rows}};
  ASSERT_TRUE(save_npz(path("all.npz"), arrays));
  EXPECT_THAT(run_program({"op", "Gather", path("all.npz:table"), path("all.npz:rows")}).out, HasSubstr("[9, 7]"));
  expect_refused(
      {"op", "Gather", path("all.npz"), indices_},
      "all.npz: holds 2 arrays (table, rows); one is expected; " + path("all.npz:NAME") + " selects one");
  expect_refused({"op", "Gather", path("all.npz:tabel"), indices_},
                 "all.npz: no array 'tabel'; choose from table, rows; did you mean 'table'?");
  ASSERT_TRUE(save_tensor(path("one.npz"), table, "output"));
  expect_refused({"op", "Gather", path("one.npz:foo"), indices_},
                 "one.npz: no array 'foo'; the only choice is output");
  const std::string odd = save("odd.npz:x.npy", table);
  EXPECT_EQ(run_program({"op", "Gather", odd, path("all.npz:rows")}).code, 0) << "a file name with a colon";
}

TEST_F(OpProgram, RejectsFilesThatAreMissingOrOfAnotherKind) {
  expect_refused({"op", "Gather", path("absent.npy"), indices_, "-o", path("out.csv")},
                 "-o " + path("out.csv") + ": the name of a tensor file must end in .npy, .npz or .pb");
  expect_refused({"op", "Gather", path("absent.npy"), indices_}, "absent.npy: cannot open: No such file");
  expect_refused({"op", "Gather", save("model.onnx", scatter_model()), indices_},
                 "model.onnx: a model; the name of a tensor file must end in .npy, .npz or .pb");
  expect_refused({"op", "Gather", indices_, data_}, "gather: indices are float32; they must be integers (data: " +
                                                        indices_ + ", indices: " + data_ + ")");
}

TEST_F(OpProgram, SuggestsTheRightSpellingOfAName) {
  for (const char* slip : {"gather", "Gahter"}) {
    expect_refused({"op", slip, data_, indices_}, "ScatterND, TensorScatter; did you mean 'Gather'?");
  }
  expect_refused({"op", "gather_nd", data_, indices_}, "did you mean 'GatherND'?");
  expect_refused(gather({"--axes", "1"}), "--axes; did you mean '--axis'?");
  expect_refused(gather({"--strategy", "partitoin"}), "did you mean 'partition'?");
  expect_refused({"op", "TensorScatter", data_, indices_, "--mode", "Circular"}, "did you mean 'circular'?");
}

TEST_F(OpProgram, WarnsOnceOfABadNumberOfThreadsInTheEnvironment) {
  const std::string data = save("data.npy", *Tensor::zeros(DType::kFloat32, {1 << 16}));
  const std::string indices = save("indices.npy", *Tensor::zeros(DType::kInt64, {1 << 16}));
  for (const auto& [text, shown] :
       {std::pair("abc", "abc"), {"0", "0"}, {"2000", "2000"}, {"1.5", "1.5"}, {"a\nb", "a b"}}) {
    ::setenv("STREW_NUM_THREADS", text, 1);
    const Ended ended = run_program({"op", "Gather", data, indices, "--repeat", "3"});
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.err, std::string("strew: STREW_NUM_THREADS is '") + shown +
                             "', not a number from 1 to 1024; all processors are used\n");
  }
  for (const char* text : {"", "1", "2"}) {
    ::setenv("STREW_NUM_THREADS", text, 1);
    EXPECT_EQ(run_program({"op", "Gather", data, indices}).err, "");
  }
  ::unsetenv("STREW_NUM_THREADS");
}

}  // namespace
}  // namespace strew::app
