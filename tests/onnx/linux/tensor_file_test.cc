// Files of one TensorProto.
#include <gtest/gtest.h>

#include "onnx/temporary_folder.h"
#include "onnx/tensor_messages.h"

namespace strew {
namespace {

using testing::content_of;
using testing::error_of;
using testing::values_of;

TEST(TensorFile, ComesBackFromDisk) {
  const testing::TemporaryFolder folder;
  const auto tensor = Tensor::of<float>({1, 2, 3}, {3});
  ASSERT_TRUE(save_tensor_pb(folder / "t.pb", *tensor, "t"));
  const auto back = load_tensor_pb(folder / "t.pb");
  EXPECT_EQ(values_of<float>(back), (std::vector<float>{1, 2, 3})) << error_of(back);
  EXPECT_EQ(back->name, "t");
  const std::string bytes = "\xFF\xFF";
  ASSERT_TRUE(save_tensor_pb(folder / "p.pb", TensorView(bytes.data(), DType::kInt4, {3})));
  EXPECT_EQ(content_of(load_tensor_pb(folder / "p.pb")), "\xFF\x0F");
}

TEST(TensorFile, NamesThePathInErrors) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("bad.pb", testing::TensorBuilder(DType::kFloat32, {2}).raw("1234567").message);
  EXPECT_EQ(error_of(load_tensor_pb(path)),
            path.string() + ": tensor 'w': raw_data has 7 bytes, float32 [2] needs 8");
  const auto missing = load_tensor_pb(folder / "none.pb");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kIo);
  const Status saved = save_tensor_pb(folder / "no/folder.pb", *Tensor::zeros(DType::kInt8, {1}));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::kIo);
  const auto empty = load_tensor_pb(folder.write("empty.pb", ""));
  EXPECT_NE(error_of(empty).find("data_type is missing"), std::string::npos);
}

}  // namespace
}  // namespace strew
