// Tests tensor files by extension, and text in UTF-8.
#include "strew/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "core/utf8.h"
#include "io/files.h"

namespace strew {
namespace {

using testing::EndsWith;

using TensorFile = InTempDir;

TEST_F(TensorFile, IsWrittenAndReadInEveryFormat) {
  const auto tensor = *Tensor::of<float>({1, 2}, {2});
  for (const char* name : {"x.npy", "x.npz", "x.pb"}) {
    const auto status = save_tensor(dir_ / name, tensor, "x");
    ASSERT_TRUE(status) << status.error().message();
    const auto loaded = load_tensor(dir_ / name).value();
    EXPECT_THAT(loaded.values<float>(), ::testing::ElementsAre(1, 2)) << name;
  }
  EXPECT_EQ(read_file(dir_ / "x.npy").substr(1, 5), "NUMPY");
  EXPECT_EQ(read_file(dir_ / "x.npz").substr(0, 2), "PK");
  EXPECT_EQ(load_tensor_pb(dir_ / "x.pb")->name, "x");
}

TEST_F(TensorFile, NamesTheArrayOfAnArchive) {
  const auto tensor = *Tensor::of<float>({1}, {1});
  ASSERT_TRUE(save_tensor(dir_ / "x.npz", tensor, "y"));
  EXPECT_EQ(load_npz(dir_ / "x.npz")->front().name, "y");
  ASSERT_TRUE(save_tensor(dir_ / "x.npz", tensor, ""));
  EXPECT_EQ(load_npz(dir_ / "x.npz")->front().name, "arr_0");
}

TEST_F(TensorFile, RejectsOtherExtensionsAndListsTheSupportedOnes) {
  for (const char* name : {"x", "x.NPY", "x.onnx", "npy"}) {
    const auto loaded = load_tensor(dir_ / name);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().message(), (dir_ / name).string() +
                                            (std::string(name) == "x.onnx" ? ": a model;" : ":") +
                                            " the name of a tensor file must end in .npy, .npz or .pb");
    EXPECT_EQ(save_tensor(dir_ / name, *Tensor::zeros(DType::kInt8, {}), "").error().message(),
              loaded.error().message());
  }
}

TEST_F(TensorFile, RequiresOneArrayOfAnArchive) {
  const auto tensor = *Tensor::of<float>({1}, {1});
  const std::pair<std::string, TensorView> arrays[] = {{"a", tensor}, {"b", tensor}};
  ASSERT_TRUE(save_npz(dir_ / "x.npz", arrays));
  EXPECT_THAT(load_tensor(dir_ / "x.npz").error().message(),
              EndsWith("x.npz: holds 2 arrays (a, b); one is expected"));
  ASSERT_TRUE(save_npz(dir_ / "x.npz", {}));
  EXPECT_THAT(load_tensor(dir_ / "x.npz").error().message(), EndsWith("x.npz: holds 0 arrays; one is expected"));
}

TEST(Utf8, ConvertsEveryCodePointAndBack) {
  for (std::uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    std::string text;
    const bool valid = code_point < 0xD800 || code_point > 0xDFFF;
    ASSERT_EQ(append_utf8(text, code_point), valid) << code_point;
    if (!valid) continue;
    std::size_t at = 0;
    ASSERT_TRUE(is_utf8(text));
    ASSERT_EQ(next_utf8(text, at), code_point);
    ASSERT_EQ(at, text.size());
  }
}

TEST(Utf8, WritesTheShortestFormOfCodePointsThatAreNotTooLarge) {
  std::string text;
  for (const std::uint32_t code_point : {0x24u, 0xA3u, 0x20ACu, 0x10348u}) append_utf8(text, code_point);
  for (const std::uint32_t too_large : {0x110000u, 0xFFFFFFFFu}) EXPECT_FALSE(append_utf8(text, too_large));
  EXPECT_EQ(text, "$\xC2\xA3\xE2\x82\xAC\xF0\x90\x8D\x88");
}

TEST(Utf8, RejectsMalformedBytes) {
  for (const std::string text :
       {"\x80", "\xC3", "\xC3(", "\xC0\x80", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
        "\xF8\x88\x80\x80\x80", "\xFF", "\xE2\x82", "\xF0\x8F\xBF\xBF"}) {
    std::size_t at = 0;
    EXPECT_FALSE(next_utf8(text, at)) << testing::PrintToString(text);
    EXPECT_EQ(at, 0u);
    EXPECT_FALSE(is_utf8("a" + text));
  }
}

}  // namespace
}  // namespace strew
