// strew check and strew run on a model whose data are links.
#include <gmock/gmock.h>

#include <fstream>

#include "apps/workplace.h"
#include "onnx/tensor_messages.h"
#include "support/model_builder.h"

namespace strew::app {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class LinkedModel : public Workplace {
 protected:
  void SetUp() override {
    fs::create_directories(path("cache/a"));
    const auto data = testing::TensorBuilder(DType::kUInt8, {4}).external("data");
    std::ofstream(path("cache/a/m.onnx")) << testing::ModelBuilder(18)
                                                 .initializer(data.message)
                                                 .output("w", DType::kUInt8, testing::TestShape{4})
                                                 .bytes();
    save_text("cache/blob", "0123");
    fs::create_symlink("../blob", path("cache/a/data"));
  }
};

TEST_F(LinkedModel, IsReadOnlyWhereItsCacheIsNamed) {
  for (const std::string command : {"check", "run"}) {
    const Ended refused = run_program({command, path("cache/a/m.onnx")});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("is a symbolic link"));
    const Ended read = run_program({command, path("cache/a/m.onnx"), "--links-within", path("cache")});
    EXPECT_EQ(read.code, 0) << read.err;
    const Ended outside = run_program({command, path("cache/a/m.onnx"), "--links-within", path("cache/a")});
    EXPECT_EQ(outside.code, 2);
    EXPECT_THAT(outside.err, HasSubstr("leads out of links_within"));
  }
}

}  // namespace
}  // namespace strew::app
