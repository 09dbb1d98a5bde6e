// The choice of a file format by the ending of a name.
#include "strew/tensor_file.h"

#include <gmock/gmock.h>

#include <utility>

#include "io/files.h"

namespace strew {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

TEST(TensorFile, ComesBackFromEveryFormat) {
  const TempDir dir;
  const auto tensor = *Tensor::of<float>({1, 2}, {2});
  for (const char* name : {"x.npy", "x.npz", "x.pb"}) {
    const auto status = save_tensor(dir / name, tensor, "x");
    ASSERT_TRUE(status) << status.error().message();
    const auto loaded = load_tensor(dir / name);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_THAT(loaded->values<float>(), ElementsAre(1, 2)) << name;
  }
  EXPECT_EQ(read_file(dir / "x.npy").substr(1, 5), "NUMPY");
  EXPECT_EQ(read_file(dir / "x.npz").substr(0, 2), "PK");
  EXPECT_EQ(load_tensor_pb(dir / "x.pb")->name, "x");
}

TEST(TensorFile, NamesTheArrayOfAnArchive) {
  const TempDir dir;
  const auto tensor = *Tensor::of<float>({1}, {1});
  ASSERT_TRUE(save_tensor(dir / "x.npz", tensor, "y"));
  EXPECT_EQ(load_npz(dir / "x.npz")->front().name, "y");
  ASSERT_TRUE(save_tensor(dir / "x.npz", tensor, ""));
  EXPECT_EQ(load_npz(dir / "x.npz")->front().name, "arr_0");
}

TEST(TensorFile, RefusesOtherEndingsAndListsThese) {
  const TempDir dir;
  for (const char* name : {"x", "x.NPY", "x.onnx", "npy"}) {
    const auto loaded = load_tensor(dir / name);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().message(), (dir / name).string() +
                                            (std::string(name) == "x.onnx" ? ": a model;" : ":") +
                                            " the name of a tensor file ends in .npy, .npz or .pb");
    EXPECT_EQ(save_tensor(dir / name, *Tensor::zeros(DType::kInt8, {}), "").error().message(),
              loaded.error().message());
  }
}

TEST(TensorFile, WantsOneArrayOfAnArchive) {
  const TempDir dir;
  const auto tensor = *Tensor::of<float>({1}, {1});
  const std::pair<std::string, TensorView> arrays[] = {{"a", tensor}, {"b", tensor}};
  ASSERT_TRUE(save_npz(dir / "x.npz", arrays));
  EXPECT_THAT(load_tensor(dir / "x.npz").error().message(),
              EndsWith("x.npz: holds 2 arrays (a, b); one is wanted"));
  ASSERT_TRUE(save_npz(dir / "x.npz", {}));
  EXPECT_THAT(load_tensor(dir / "x.npz").error().message(), EndsWith("x.npz: holds 0 arrays; one is wanted"));
}

}  // namespace
}  // namespace strew
