// Tests the program on a full disk, and with names that are not files.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "apps/workplace.h"
#include "support/full_disk.h"

namespace strew::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class HostileFiles : public Workplace {
 protected:
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(path("")), {}); }

  // Expects that the program, whose output has this name, leaves the old file if the disk is full.
  void expect_old_file_left(const std::string& name, const Words& words) const {
    save_text(name, "old");
    const auto before = files();
    {
      const support::FullDisk disk(1 << 19);
      expect_refused(words, path(name) + ": cannot write: File too large", 1);
    }
    EXPECT_EQ(read_file(path(name)), "old");
    EXPECT_EQ(files(), before);
  }

  std::string data_ = save("data.npy", *Tensor::zeros(DType::kFloat32, {4}));
  std::string index_ = save("index.npy", *Tensor::of<std::int64_t>({1}, {1}));
};

TEST_F(HostileFiles, OutputsLeaveTheOldFileIfTheDiskIsFull) {
  const std::string large = save("large.npy", *Tensor::zeros(DType::kFloat32, {1 << 18}));
  const std::string indices = save("indices.npy", *Tensor::zeros(DType::kInt32, {1 << 18}));
  const std::string model = save("model.onnx", testing::scatter_nd_model({1 << 18}, {2, 1}, {2}));
  const Words run = {"run", model,
                     "-i",  "data=" + large,
                     "-i",  "indices=" + save("i.npy", *Tensor::of<std::int64_t>({1, -1}, {2, 1})),
                     "-i",  "updates=" + save("u.npy", *Tensor::of<float>({20, 40}, {2}))};
  for (const std::string name : {"out.npy", "out.npz", "out.pb"}) {
    expect_old_file_left(name, {"op", "Gather", large, indices, "-o", path(name)});
    const Words words = joined(run, {"-o", "y=" + path(name)});
    expect_old_file_left(name, words);
    output_of(words);
    EXPECT_GT(read_file(path(name)).size(), std::size_t{1} << 20);
  }
}

TEST_F(HostileFiles, AFullStandardOutputIsAnErrorOfEveryCommand) {
  const std::string op = "op Gather " + data_ + ' ' + index_;
  save_scatter_test("test");
  for (const std::string& words :
       {op, op + " -o -", op + " --json", "check " + path("test/model.onnx"), "test " + path("test"),
        std::string("ops"), std::string("ops --json"), std::string("--help"), std::string("help op"),
        std::string("completion bash"), std::string("-V"),
        std::string("bench Gather --data float32[4] --indices int64[1] --repeat 1")}) {
    const std::string command = std::string(STREW_PROGRAM) + ' ' + words + " > /dev/full 2> " + path("err");
    EXPECT_EQ(std::system(command.c_str()), 1 << 8) << words;
    EXPECT_EQ(read_file(path("err")), "strew: standard output: No space left on device\n") << words;
  }
}

TEST_F(HostileFiles, AStandardErrorThatCannotBeWrittenLeavesTheExitCode) {
  const std::string bad = save("bad.npy", *Tensor::of<std::int64_t>({9}, {1}));
  for (const char* closed : {" 2> /dev/full", " 2>&-", " >&- 2>&-"}) {
    const std::string command = std::string(STREW_PROGRAM) + " op Gather " + data_ + ' ' + bad + closed;
    EXPECT_EQ(std::system(command.c_str()), 2 << 8) << closed;
  }
}

TEST_F(HostileFiles, ATestFolderWithAFifoIsNotWaitedFor) {
  for (const char* name : {"expect_error.txt", "data.json"}) {
    save_scatter_test("test");
    ASSERT_EQ(::mkfifo(path(std::string("test/") + name).c_str(), 0600), 0);
    EXPECT_THAT(output_of({"test", path("test")}, 1),
                HasSubstr(std::string(name) + " is not a regular file of up to 1 MiB"));
    fs::remove_all(path("test"));
  }
}

// Returns a model of a Gather whose output has this name.
testing::ModelBuilder model_with_output(const std::string& name) {
  return testing::ModelBuilder(18)
      .input("x", DType::kInt64, {{4}})
      .node("Gather", {"x", "x"}, {name})
      .output(name, DType::kInt64, {{4}});
}

TEST_F(HostileFiles, NamesInAModelDoNotControlTheTerminal) {
  const std::string file = save("model.onnx", model_with_output("y\x1b[2J\nno violations"));
  EXPECT_THAT(output_of({"check", file}), AllOf(HasSubstr("y [2J no violations"), Not(HasSubstr("\x1b"))));
}

TEST_F(HostileFiles, NamesOfMegabytesAreNotPrintedWhole) {
  const std::string file = save("model.onnx", model_with_output(std::string(3000000, 'y')));
  const std::string checked = output_of({"check", file});
  EXPECT_THAT(checked, HasSubstr("yyy\u2026 (3000000 bytes) "));
  EXPECT_LT(checked.size(), 5000u);
  expect_refused({"run", file, "-o", "y=y.npy"}, "the model has no output 'y'; it has 'yyy");
  EXPECT_LT(run_program({"run", file, "-o", "y=y.npy"}).err.size(), 5000u);
}

TEST_F(HostileFiles, AnOutputFileNeedsANameAndAFolder) {
  expect_refused({"op", "Gather", data_, index_, "-o", ""}, "the file has no name");
  expect_refused({"op", "Gather", data_, index_, "-o", path("no/out.npy")}, path("no/out.npy") + ": ");
}

}  // namespace
}  // namespace strew::app
