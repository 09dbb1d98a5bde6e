// Tests strew check and strew run with a model whose external data are links.
#include "apps/workplace.h"
#include "onnx/tensor_messages.h"

namespace strew::app {
namespace {

namespace fs = std::filesystem;

class LinkedModel : public Workplace {
 protected:
  void SetUp() override {
    fs::create_directories(path("cache/a"));
    const auto data = testing::TensorBuilder(DType::kUInt8, {4}).external("data");
    save("cache/a/m.onnx",
         testing::ModelBuilder(18).initializer(data.message).output("w", DType::kUInt8, testing::TestShape{4}));
    save_text("cache/blob", "0123");
    fs::create_symlink("../blob", path("cache/a/data"));
  }
};

TEST_F(LinkedModel, IsReadIfAndOnlyIfItsCacheIsNamed) {
  for (const std::string command : {"check", "run"}) {
    expect_refused({command, path("cache/a/m.onnx")}, "is a symbolic link");
    output_of({command, path("cache/a/m.onnx"), "--links-within", path("cache")});
    expect_refused({command, path("cache/a/m.onnx"), "--links-within", path("cache/a")},
                   "leads out of links_within");
  }
}

}  // namespace
}  // namespace strew::app
