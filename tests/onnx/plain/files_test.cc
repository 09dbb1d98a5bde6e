// Tests the errors of a build without file access.
#include <gtest/gtest.h>

#include "onnx/tensor_messages.h"
#include "strew/model.h"
#include "strew/tensor_file.h"
#include "support/refusal.h"

namespace strew {
namespace {

template <class T>
void expect_no_files(const Result<T>& result) {
  expect_refused(result, ErrorCode::kUnsupported,
                 "a.x: this build of the library cannot read or write files; pass their bytes instead");
}

TEST(WithoutFiles, EveryCallThatNeedsAFileIsRejected) {
  const Tensor tensor = Tensor::zeros(DType::kFloat32, {2}).value();
  const std::pair<std::string, TensorView> array("a", tensor.view());
  expect_no_files(Model::load("a.x"));
  expect_no_files(load_tensor_pb("a.x"));
  expect_no_files(load_npy("a.x"));
  expect_no_files(load_npz("a.x"));
  expect_no_files(save_tensor_pb("a.x", tensor));
  expect_no_files(save_npy("a.x", tensor));
  expect_no_files(save_npz("a.x", std::span(&array, 1)));
}

TEST(WithoutFiles, ExternalDataAreRejected) {
  const auto message = testing::TensorBuilder(DType::kFloat32, {2}).external("weights.bin").message;
  EXPECT_EQ(message_of(decode_tensor(testing::bytes_of(message), {.external_dir = "."})),
            "tensor 'w': external_data location 'weights.bin': this build of the library reads no files");
}

}  // namespace
}  // namespace strew
