// Tests models in files, and their external data, also through links.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files.h"
#include "onnx/tensor_messages.h"
#include "support/model_builder.h"
#include "support/refusal.h"

namespace strew {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace strew::testing;

TEST(ModelLoad, NamesTheFile) {
  const TempDir folder;
  const auto path = folder.write("broken.onnx", "\x08\x08\x3a\x7f");
  expect_refused(Model::load(path), ErrorCode::kInvalidModel, ::testing::StartsWith(path.string() + ": "));
  expect_refused(Model::load(folder / "missing.onnx"), ErrorCode::kIo);
}

TEST(ModelLoad, LooksForExternalDataBesideTheModelFile) {
  const TempDir folder;
  const float numbers[2] = {10, 20};
  folder.write("weights.bin", {reinterpret_cast<const char*>(numbers), sizeof numbers});
  const auto weights = TensorBuilder(DType::kFloat32, {2}).external("weights.bin");
  const auto builder = ModelBuilder(13)
                           .initializer(weights.message)
                           .node("Constant", {}, {"more"}, {tensor_attribute("value", weights.message)}, "c")
                           .output("w", DType::kFloat32, {{2}})
                           .output("more", DType::kFloat32, {{2}});
  const auto path = folder.write("m.onnx", builder.bytes());
  const auto model = Model::load(path).value();
  const auto outputs = model.run({}).value();
  EXPECT_THAT(outputs[0].tensor.values<float>(), ElementsAre(10, 20));
  EXPECT_THAT(outputs[1].tensor.values<float>(), ElementsAre(10, 20));

  EXPECT_FALSE(builder.parse().has_value());  // a model from memory cannot have external data
  LoadOptions options;
  options.external_data_dir = folder.path();
  EXPECT_TRUE(builder.parse(options).has_value());
}

TEST(ModelLoad, ReadsTheFileSoThatTruncationIsHarmless) {
  const TempDir folder;
  const std::int64_t count = 1 << 20;
  const auto builder = ModelBuilder(13)
                           .initializer(tensor_message("large", *Tensor::zeros(DType::kFloat32, {count})))
                           .initializer(tensor_message<float>("w", {1, 2, 3}, {3}))
                           .output("large", DType::kFloat32, {{count}})
                           .output("w", DType::kFloat32, {{3}});
  const auto path = folder.write("m.onnx", builder.bytes());
  auto model = Model::load(path).value();
  const Model moved = std::move(model);
  std::filesystem::resize_file(path, 0);
  const auto outputs = moved.run({}).value();
  EXPECT_EQ(outputs.front().tensor.values<float>().back(), 0);
  EXPECT_THAT(outputs.back().tensor.values<float>(), ElementsAre(1, 2, 3));
}

// A folder like Hugging Face's cache: a snapshot is a folder of links to files in `blobs`.
class LinkedData : public ::testing::Test {
 protected:
  void SetUp() override {
    root_.write("secret", "secret!!");
    root_.write("cache/blobs/1", model_of("w").bytes());
    root_.write("cache/blobs/2", "0123");
    fs::create_directories(snapshot());
    fs::create_symlink("../../blobs/1", snapshot() / "m.onnx");
    fs::create_symlink("../../blobs/2", snapshot() / "w");
  }

  fs::path cache() const { return root_ / "cache"; }
  fs::path snapshot() const { return cache() / "snapshots/a"; }

  static ModelBuilder model_of(const std::string& location) {
    return ModelBuilder(18).initializer(TensorBuilder(DType::kUInt8, {4}).external(location).message);
  }
  std::string load(const std::optional<fs::path>& links_within) const {
    return message_of(Model::load(snapshot() / "m.onnx", {.links_within = links_within}));
  }
  // Loads a model from the folder of the links, with external data at this location. Returns the error.
  std::string load_location(const std::string& location) const {
    const auto model = model_of(location).bytes();
    return message_of(Model::load(root_.write("cache/snapshots/a/n.onnx", model), {.links_within = cache()}));
  }

  TempDir root_;
};

TEST_F(LinkedData, AreReadIfAndOnlyIfTheCacheIsNamed) {
  EXPECT_THAT(load(std::nullopt), HasSubstr("'w' is a symbolic link, which is rejected, or not a folder; links "
                                            "are followed only if links_within (--links-within) names a folder"));
  EXPECT_EQ(load(cache()), "");
  EXPECT_EQ(load(root_.path()), "");
  EXPECT_EQ(load(cache() / "snapshots/../."), "");
}

TEST_F(LinkedData, AreReadThroughLinkedFoldersAndFromMemory) {
  fs::create_directory_symlink("../../blobs", snapshot() / "d");
  EXPECT_EQ(load_location("d/2"), "");
  EXPECT_EQ(load_location("./w"), "");
  const LoadOptions options{.external_data_dir = snapshot(), .links_within = cache()};
  EXPECT_EQ(message_of(model_of("w").parse(options)), "");
  EXPECT_THAT(message_of(model_of("w").parse({.links_within = cache()})), HasSubstr("no folder is given"));
}

TEST_F(LinkedData, AreReadFromALinkedSnapshot) {
  fs::create_directory_symlink("cache/snapshots", root_ / "short");
  EXPECT_EQ(message_of(Model::load(root_ / "short/a/m.onnx", {.links_within = cache()})), "");
}

TEST_F(LinkedData, MustStayInTheCache) {
  fs::create_symlink("../../../secret", snapshot() / "up");
  fs::create_symlink(root_ / "secret", snapshot() / "absolute");
  fs::create_symlink(cache() / "blobs/2", snapshot() / "inner");
  fs::create_directory_symlink("../../..", snapshot() / "d");
  fs::create_symlink("up", snapshot() / "twice");
  for (const std::string location : {"up", "absolute", "inner", "d/secret", "d/cache/blobs/2", "twice"}) {
    EXPECT_THAT(
        load_location(location),
        HasSubstr("'snapshots/a/" + location + "' is a link that is absolute or leads out of links_within '" +
                  cache().string() + "'; only relative links that stay in it are followed"));
  }
  EXPECT_THAT(load(cache() / "snapshots"), HasSubstr("leads out of links_within '"));
  EXPECT_THAT(load_location("../../blobs/2"), HasSubstr("contains '..'"));
}

TEST_F(LinkedData, NeedACacheThatHoldsTheModel) {
  EXPECT_THAT(load(cache() / "blobs"),
              HasSubstr("the model's folder '" + snapshot().string() + "' is not within links_within '" +
                        (cache() / "blobs").string() + "', which must contain it"));
  const std::string needed = "; it must be a folder that contains the model";
  EXPECT_THAT(load(root_ / "missing"), HasSubstr("links_within '" + (root_ / "missing").string() +
                                                 "' cannot be opened: No such file or directory" + needed));
  EXPECT_THAT(load(root_ / "secret"), HasSubstr("/secret' cannot be opened: Not a directory" + needed));
  EXPECT_THAT(load(fs::path()), HasSubstr("links_within '' cannot be opened"));
}

TEST_F(LinkedData, ReportACycleOfLinks) {
  fs::create_symlink("ring", snapshot() / "ring");
  EXPECT_THAT(load_location("ring"),
              HasSubstr("external_data location 'ring': 'snapshots/a/ring' is a link that leads into a cycle in "
                        "links_within '" +
                        cache().string() + "'; only relative links that stay in it are followed"));
}

TEST_F(LinkedData, FollowTheOtherRules) {
  fs::create_hard_link(cache() / "blobs/2", cache() / "blobs/3");
  EXPECT_THAT(load(cache()), HasSubstr("has 2 hard links"));
  fs::remove(cache() / "blobs/2");
  EXPECT_THAT(load(cache()), HasSubstr("cannot open"));
  fs::create_symlink("2", cache() / "blobs/2");
  EXPECT_NE(load(cache()), "");
  ASSERT_EQ(::mkfifo((cache() / "blobs/f").c_str(), 0600), 0);
  fs::create_symlink("../../blobs/f", snapshot() / "f");
  EXPECT_THAT(load_location("f"), HasSubstr("is not a regular file"));
  fs::create_symlink("/proc/self/fd/0", snapshot() / "magic");
  EXPECT_THAT(load_location("magic"), HasSubstr("leads out of links_within '"));
}

}  // namespace
}  // namespace strew
