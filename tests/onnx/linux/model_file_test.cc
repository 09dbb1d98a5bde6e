// Loading models from files, and external data beside them.
#include <gmock/gmock.h>
#include <unistd.h>

#include "onnx/temporary_folder.h"
#include "support/model_builder.h"
#include "support/pbf_writer.h"

namespace strew {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;
using namespace strew::testing;

TEST(ModelLoad, SaysThatThePathIsEmpty) {
  EXPECT_EQ(Model::load("").error().message(), "the path of the file is empty");
}

TEST(ModelLoad, NamesTheFile) {
  const TemporaryFolder folder;
  const auto path = folder.write("broken.onnx", "\x08\x08\x3a\x7f");
  const auto model = Model::load(path);
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code, ErrorCode::kInvalidModel);
  EXPECT_THAT(model.error().message(), StartsWith(path.string() + ": "));
  const auto missing = Model::load(folder / "missing.onnx");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::kIo);
}

std::string external_tensor(const std::string& name) {
  std::string entry;
  PbfWriter(entry).add_bytes(1, "location");
  PbfWriter(entry).add_bytes(2, "weights.bin");
  std::string message;
  PbfWriter writer(message);
  writer.add_int64(1, 2);
  writer.add_int64(2, static_cast<std::int64_t>(DType::kFloat32));
  writer.add_bytes(8, name);
  writer.add_bytes(13, entry);
  writer.add_int64(14, 1);
  return message;
}

TEST(ModelLoad, LooksForExternalDataBesideTheModelFile) {
  const TemporaryFolder folder;
  const float weights[2] = {10, 20};
  folder.write("weights.bin", {reinterpret_cast<const char*>(weights), sizeof weights});
  const auto builder = ModelBuilder(13)
                           .initializer(external_tensor("data"))
                           .node("Constant", {}, {"more"}, {tensor_attribute("value", external_tensor(""))}, "c")
                           .output("data", DType::kFloat32, {{2}})
                           .output("more", DType::kFloat32, {{2}});
  const auto path = folder.write("m.onnx", builder.bytes());
  const auto model = Model::load(path);
  ASSERT_TRUE(model.has_value()) << model.error().message();
  const auto outputs = model->run({});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message();
  EXPECT_THAT((*outputs)[0].tensor.values<float>(), ElementsAre(10, 20));
  EXPECT_THAT((*outputs)[1].tensor.values<float>(), ElementsAre(10, 20));

  EXPECT_FALSE(builder.parse().has_value());  // from memory, external data are refused
  LoadOptions options;
  options.external_data_dir = folder.path();
  EXPECT_TRUE(builder.parse(options).has_value());
}

TEST(ModelLoad, ReadsTheFileWhateverItsSizeSoThatTruncatingItHarmsNothing) {
  const TemporaryFolder folder;
  const std::int64_t count = 1 << 20;
  const auto builder = ModelBuilder(13)
                           .initializer(tensor_message("large", *Tensor::zeros(DType::kFloat32, {count})))
                           .initializer(tensor_message<float>("w", {1, 2, 3}, {3}))
                           .output("large", DType::kFloat32, {{count}})
                           .output("w", DType::kFloat32, {{3}});
  const auto path = folder.write("m.onnx", builder.bytes());
  auto model = Model::load(path);
  ASSERT_TRUE(model.has_value()) << model.error().message();
  const Model moved = std::move(*model);
  std::filesystem::resize_file(path, 0);
  const auto outputs = moved.run({});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message();
  EXPECT_EQ(outputs->front().tensor.values<float>().back(), 0);
  EXPECT_THAT(outputs->back().tensor.values<float>(), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace strew
