// Attacks of the published advisories about ONNX files, each with a model or tensor file. Advisories about
// downloads do not apply: Strew downloads and unpacks nothing.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "io/files.h"
#include "onnx/tensor_messages.h"
#include "strew/tensor_file.h"
#include "support/model_builder.h"
#include "support/pbf_writer.h"
#include "support/refusal.h"

namespace strew {
namespace {

namespace fs = std::filesystem;
using testing::content_of;
using ::testing::HasSubstr;
using testing::message_field;
using testing::ModelBuilder;
using testing::PbfWriter;
using testing::TensorBuilder;

constexpr int kFunctions = 25;
constexpr int kTrainingInfo = 20;

class Advisory : public ::testing::Test {
 protected:
  void SetUp() override {
    root_.write("secret", "secret!!");
    root_.write("model/data.bin", "0123456789");
  }

  fs::path folder() const { return root_ / "model"; }

  static TensorBuilder external(const std::string& location) {
    return TensorBuilder(DType::kUInt8, {4}).external(location);
  }
  std::string refusal(const std::string& location) const {
    return message_of(load_tensor_pb(root_.write("model/t.pb", external(location).message)));
  }
  std::string model_refusal(const std::string& bytes) const {
    return message_of(Model::load(root_.write("model/m.onnx", bytes)));
  }

  TempDir root_;
};

TEST_F(Advisory, LocationsThatLeaveTheFolderAreRejected) {
  fs::create_directory(folder() / "a");
  fs::create_directory_symlink("..", folder() / "up");
  fs::create_directory_symlink("../..", folder() / "a/up");
  fs::create_directory_symlink("a", folder() / "inner");
  fs::create_symlink("../secret", folder() / "w");
  fs::create_symlink("data.bin", folder() / "harmless");
  fs::create_symlink("nowhere", folder() / "dangling");
  fs::create_hard_link(root_ / "secret", folder() / "hard");
  struct Case {
    const char* advisory;
    std::string location;
    const char* reason;
  };
  for (const Case& c :
       {Case{"CVE-2022-25882", "../secret", "contains '..'"},
        {"CVE-2022-25882", "../../../../../../etc/passwd", "contains '..'"},
        {"CVE-2024-27318 (GHSA-whh8-fjgc-qp73)", "a/../../secret", "contains '..'"},
        {"CVE-2024-27318 (GHSA-whh8-fjgc-qp73)", "./a/./../../secret", "contains '..'"},
        {"CVE-2024-27318 (GHSA-whh8-fjgc-qp73)", "a//../../secret", "contains '//'"},
        {"CVE-2024-27318 (GHSA-whh8-fjgc-qp73)", "a\\..\\..\\secret", "contains a backslash"},
        {"CVE-2026-27489 (GHSA-3r9x-f23j-gc73)", "up/secret", "'up' is a symbolic link"},
        {"CVE-2026-27489 (GHSA-3r9x-f23j-gc73)", "a/up/secret", "'up' is a symbolic link"},
        {"CVE-2026-27489 (GHSA-3r9x-f23j-gc73)", "./inner/w", "'inner' is a symbolic link"},
        {"CVE-2026-34447 (GHSA-p433-9wv8-28xj)", "w", "'w' is a symbolic link"},
        {"CVE-2026-34447 (GHSA-p433-9wv8-28xj)", "harmless", "'harmless' is a symbolic link"},
        {"CVE-2026-34447 (GHSA-p433-9wv8-28xj)", "dangling", "'dangling' is a symbolic link"},
        {"CVE-2026-34446 (GHSA-cmw6-hcpp-c6jp)", "hard",
         "external_data location 'hard' has 2 hard links; only files with one hard link are read"}}) {
    EXPECT_THAT(refusal(c.location), HasSubstr(c.reason)) << c.advisory;
  }
}

TEST_F(Advisory, CVE_2024_27319_GHSA_h8wv_9h96_m4hr_NamesInMessagesAreNotFormats) {
  for (const std::string& name : {std::string("%s%s%s%n%x"), std::string("{}{0}{:>1000000}"),
                                  std::string(100'000, 'x'), std::string("a\0b", 3)}) {
    const std::string violations = ModelBuilder(18).node("Gather", {name, name}, {"y"}, {}, name).violations();
    EXPECT_THAT(violations, HasSubstr(one_line(name)));
  }
}

TEST_F(Advisory, CVE_2025_51480_NothingIsWrittenWhereATensorsNamePoints) {
  const auto tensor = Tensor::of<std::uint8_t>({1, 2}, {2}).value();
  fs::create_directory(folder() / "out");
  const std::string name = "../../secret";
  for (const char* file : {"out/t.pb", "out/t.npz", "out/t.npy"}) {
    ASSERT_TRUE(save_tensor(folder() / file, tensor, name)) << file;
  }
  EXPECT_EQ(load_tensor_pb(folder() / "out/t.pb")->name, name);
  EXPECT_EQ(load_npz(folder() / "out/t.npz")->front().name, name);
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(root_.path()), {}), 7);
  EXPECT_EQ(fs::file_size(root_ / "secret"), 8u);
}

// CVE-2024-5187 (GHSA-6rq9-53c3-f7vj) and CVE-2024-7776: archives were unpacked to the paths named in them.
TEST_F(Advisory, CVE_2024_5187_CVE_2024_7776_AnArchiveIsReadWithoutWritingItsNames) {
  const auto tensor = Tensor::of<std::uint8_t>({1, 2}, {2}).value();
  const std::array arrays{std::pair<std::string, TensorView>("../../evil", tensor),
                          std::pair<std::string, TensorView>("/tmp/evil", tensor)};
  ASSERT_TRUE(save_npz(folder() / "x.npz", arrays));
  const auto count = std::distance(fs::recursive_directory_iterator(root_.path()), {});
  ASSERT_EQ(load_npz(folder() / "x.npz")->size(), 2u);
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(root_.path()), {}), count);
  EXPECT_FALSE(fs::exists("/tmp/evil.npy"));
}

TEST_F(Advisory, CVE_2026_34445_GHSA_538c_55jv_c5g9_KeysAreNoAttributesAndSizesAreNotTrusted) {
  const auto load = [&](TensorBuilder tensor) {
    return load_tensor_pb(root_.write("model/t.pb", tensor.message));
  };
  for (const char* key : {"__class__", "__dict__", "basepath", "checksum", "", "Location", "size"}) {
    EXPECT_EQ(content_of(load(external("data.bin").entry(key, "../secret"))), "0123") << key;
  }
  EXPECT_THAT(message_of(load(external("data.bin").entry("length", "9223372036854775807"))),
              HasSubstr("the tensor needs 4 bytes"));
  EXPECT_THAT(message_of(load(TensorBuilder(DType::kUInt8, {std::int64_t{1} << 60})
                                  .external("data.bin")
                                  .entry("length", "1152921504606846976"))),
              HasSubstr("which has 10 bytes"));
  EXPECT_THAT(message_of(load(external("data.bin").entry("offset", "18446744073709551615"))),
              HasSubstr("which has 10 bytes"));
}

// The advisory is about a race in writing. In reading, a file may be replaced between its check and its opening.
TEST_F(Advisory, GHSA_q56x_g2fj_4rj6_AFileBecomesALinkDuringALoad) {
  root_.write("model/file", "0123");
  fs::create_symlink("../secret", folder() / "link");
  root_.write("model/t.pb", external("w").message);
  std::atomic<bool> done{false};
  std::thread swapper([&] {
    for (int i = 0; !done; ++i) {
      const fs::path next = folder() / "next";
      std::error_code ignored;
      fs::remove(next, ignored);
      if (i % 2 == 0) {
        fs::create_symlink("../secret", next, ignored);
      } else {
        fs::copy_file(folder() / "file", next, ignored);
      }
      fs::rename(next, folder() / "w", ignored);
    }
  });
  int read = 0;
  int refused = 0;
  for (int i = 0; i < 200'000 && (i < 2000 || read < 20 || refused < 20); ++i) {
    const auto tensor = load_tensor_pb(folder() / "t.pb");
    tensor ? ++read : ++refused;
    ASSERT_TRUE(!tensor || content_of(tensor) == "0123");
  }
  done = true;
  swapper.join();
  // Both cases occurred; their numbers depend on the scheduling of threads.
  EXPECT_GE(read, 1);
  EXPECT_GE(refused, 1);
}

TEST_F(Advisory, GHSA_7w46_vvrh_m8q5_FunctionsThatCallEachOtherAreNotExpanded) {
  const auto function = [](const std::string& name, const std::string& callee) {
    const std::string node = message_field(4, callee) + message_field(7, "local");
    return message_field(kFunctions, message_field(1, name) + message_field(7, node) + message_field(10, "local"));
  };
  const std::string bytes =
      ModelBuilder(18).opset_import("local", 1).node("A", {}, {"y"}, {}, "n", "local").bytes() +
      function("A", "B") + function("B", "A") + function("C", "C");
  const auto model = Model::parse(std::as_bytes(std::span(bytes))).value();
  EXPECT_THAT(model.runnable().error().message(), HasSubstr("local.A 1"));
  const auto unchecked = model.check().unchecked;
  ASSERT_EQ(unchecked.size(), 3u);
  EXPECT_EQ(unchecked[2].count, 1);  // the node of A; functions that A calls are not expanded
}

// The location of each tensor is checked wherever it occurs in a model, or the tensor is not read.
TEST_F(Advisory, EveryTensorOfAModelIsChecked) {
  const std::string hostile = external("../secret").message;
  const std::string sparse = message_field(1, hostile) + message_field(2, hostile);
  const auto constant = [](const std::string& attribute) {
    return ModelBuilder(18).node("Constant", {}, {"y"}, {attribute}).bytes();
  };
  for (const std::string& bytes :
       {ModelBuilder(18).initializer(hostile).bytes(), constant(testing::tensor_attribute("value", hostile))}) {
    EXPECT_THAT(model_refusal(bytes), HasSubstr("contains '..'"));
    EXPECT_THAT(message_of(Model::parse(std::as_bytes(std::span(bytes)))), HasSubstr("no folder is given"));
  }
  for (const std::string& bytes : {ModelBuilder(18).sparse_initializer(sparse).bytes(),
                                   constant(testing::sparse_attribute("sparse_value", sparse))}) {
    EXPECT_EQ(model_refusal(bytes), "") << "not read at all";
  }
}

TEST_F(Advisory, TensorsInSubgraphsAndFunctionsAreCheckedAndTrainingInfoIsNotRead) {
  const std::string graph = message_field(5, external("../secret").message);
  std::string branch = message_field(1, "then_branch") + message_field(6, graph);
  PbfWriter(branch).add_int64(20, 5);
  const std::string with_subgraph = ModelBuilder(18).node("If", {}, {"y"}, {branch}).bytes();
  EXPECT_THAT(model_refusal(with_subgraph), HasSubstr("contains '..'"));
  const std::string caller = message_field(5, branch) + message_field(4, "If");
  const std::string in_function = ModelBuilder(18).bytes() + message_field(kFunctions, message_field(7, caller));
  EXPECT_THAT(model_refusal(in_function), HasSubstr("contains '..'"));
  EXPECT_EQ(model_refusal(ModelBuilder(18).bytes() + message_field(kTrainingInfo, message_field(2, graph))), "");
}

// In a cache of links, a model is a link to a blob, and its external data are links too.
TEST_F(Advisory, ALinkedModelMayNotHaveLinkedData) {
  const auto model = ModelBuilder(18).initializer(external("w").message).bytes();
  root_.write("blobs/1", model);
  root_.write("blobs/2", "0123");
  fs::create_symlink("../blobs/1", folder() / "m.onnx");
  fs::create_symlink("../blobs/2", folder() / "w");
  EXPECT_THAT(message_of(Model::load(folder() / "m.onnx")), HasSubstr("'w' is a symbolic link"));
}

}  // namespace
}  // namespace strew
