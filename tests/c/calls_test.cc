// Tests that the C functions give the results of the C++ functions, and that their errors have every field.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "c/error.h"
#include "strew/c.h"
#include "strew/gather_scatter.h"
#include "strew/ops.h"

namespace strew::c {
namespace {

constexpr std::array<std::int64_t, 1> kTwo = {2}, kThree = {3}, kFour = {4};
constexpr std::array<std::int64_t, 2> kFourTwo = {4, 2}, kTwoTwo = {2, 2}, kThreeOne = {3, 1};

template <class Array>
strew_view view(Array& values, std::int32_t dtype, const auto& shape) {
  return STREW_VIEW(const_cast<void*>(static_cast<const void*>(values.data())), dtype,
                    static_cast<std::int32_t>(shape.size()), shape.data());
}

class CCalls : public testing::Test {
 protected:
  std::array<float, 8> rows_ = {1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::int64_t, 2> ids_ = {3, -1};
  strew_view table_ = view(rows_, STREW_FLOAT32, kFourTwo);
  strew_view index_ = view(ids_, STREW_INT64, kTwo);
  std::array<const strew_view*, 2> gathered_ = {&table_, &index_};
  std::array<float, 4> picked_ = {};
  strew_view result_ = view(picked_, STREW_FLOAT32, kTwoTwo);
};

TEST_F(CCalls, GathersWithAttributesOfEveryKind) {
  EXPECT_EQ(strew_run("gather", nullptr, 0, gathered_.data(), 2, &result_, nullptr, nullptr), STREW_OK);
  EXPECT_EQ(picked_, (std::array<float, 4>{7, 8, 7, 8}));

  ids_ = {9, 1};
  const float missing = -1;
  const strew_view element = STREW_VIEW(const_cast<float*>(&missing), STREW_FLOAT32, 0, nullptr);
  const std::array attributes = {STREW_INT("axis", 0), STREW_WORD("out_of_bounds", "fill"),
                                 STREW_ELEMENT("fill_value", &element)};
  EXPECT_EQ(strew_run("gather", attributes.data(), 3, gathered_.data(), 2, &result_, nullptr, nullptr), STREW_OK);
  EXPECT_EQ(picked_, (std::array<float, 4>{-1, -1, 3, 4}));
}

TEST_F(CCalls, PlansKeepElementsOfAttributesAndRunAgain) {
  std::array<float, 4> sums = {};
  std::array<std::int64_t, 3> tuples = {1, 1, 3};
  std::array<float, 3> updates = {10, 20, 30};
  const strew_view total = view(sums, STREW_FLOAT32, kFour);
  const strew_view where = view(tuples, STREW_INT64, kThreeOne);
  const strew_view added = view(updates, STREW_FLOAT32, kThree);
  const std::array<const strew_view*, 3> inputs = {&total, &where, &added};
  strew_plan* plan = nullptr;
  {
    const auto half = std::make_unique<float>(0.5f);
    const strew_view alpha = STREW_VIEW(half.get(), STREW_FLOAT32, 0, nullptr);
    const std::array attributes = {STREW_WORD("reduction", "add"), STREW_ELEMENT("alpha", &alpha)};
    ASSERT_EQ(strew_plan_new("scatter_nd", attributes.data(), 2, inputs.data(), 3, &plan, nullptr), STREW_OK);
  }
  strew_view output = STREW_VIEW(nullptr, 0, 0, nullptr);
  ASSERT_EQ(strew_plan_output(plan, &output, nullptr), STREW_OK);
  EXPECT_EQ(output.dtype, STREW_FLOAT32);
  ASSERT_EQ(output.rank, 1);
  EXPECT_EQ(output.shape[0], 4);
  output.data = sums.data();
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(strew_plan_run(plan, inputs.data(), 3, &output, nullptr, nullptr), STREW_OK);
  }
  strew_plan_free(plan);
  EXPECT_EQ(sums, (std::array<float, 4>{0, 30, 0, 30}));
}

TEST_F(CCalls, AcceptsInputsInTheOrderOfOnnx) {
  std::array<float, 4> cache = {};
  std::array<float, 1> update = {5};
  const std::array<std::int64_t, 3> cache_shape = {1, 4, 1}, update_shape = {1, 1, 1};
  const strew_view past = view(cache, STREW_FLOAT32, cache_shape);
  const strew_view part = view(update, STREW_FLOAT32, update_shape);
  const std::array<const strew_view*, 3> inputs = {&past, &part, nullptr};
  EXPECT_EQ(message_of([&](strew_error** error) {
              return strew_run("tensor_scatter", nullptr, 0, inputs.data(), 3, &past, nullptr, error);
            }),
            "");
  EXPECT_EQ(cache, (std::array<float, 4>{5, 0, 0, 0}));
}

TEST_F(CCalls, AnErrorHasEveryField) {
  ids_[1] = 9;
  const auto error = error_of([&](strew_error** to) {
    return strew_run("gather", nullptr, 0, gathered_.data(), 2, &result_, nullptr, to);
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->size, sizeof(strew_error));
  EXPECT_EQ(error->code, STREW_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(error->axis, 0);
  EXPECT_STREQ(error->message, "gather: indices[1] = 9 is outside [-4, 3] for axis 0 of data with shape [4, 2]");
  EXPECT_STREQ(error->text, "indices[1] = 9 is outside [-4, 3] for axis 0 of data with shape [4, 2]");
  EXPECT_STREQ(error->op, "gather");
  EXPECT_STREQ(error->operand, "indices");
  EXPECT_STREQ(error->where, "");
  ASSERT_EQ(error->position_rank, 1);
  EXPECT_EQ(error->position[0], 1);
  EXPECT_EQ(error->value_kind, STREW_SIGNED);
  EXPECT_EQ(error->signed_value, 9);
  EXPECT_STREQ(error->word_value, "");

  const std::array wrong = {STREW_WORD("reduction", "sum")};
  const auto word = error_of([&](strew_error** to) {
    return strew_run("scatter_nd", wrong.data(), 1, gathered_.data(), 2, &result_, nullptr, to);
  });
  ASSERT_TRUE(word);
  EXPECT_EQ(word->value_kind, STREW_WORD_VALUE);
  EXPECT_STREQ(word->word_value, "sum");
  EXPECT_EQ(word->position_rank, -1);
  EXPECT_EQ(word->axis, -1);
}

TEST_F(CCalls, ReadsDLPack) {
  struct {  // a DLTensor of float32 [2, 2] after 8 bytes, with swapped columns
    void* data;
    std::int32_t device_type = 1, device_id = 0, rank = 2;
    std::uint8_t code = 2, bits = 32;
    std::uint16_t lanes = 1;
    const std::int64_t* shape = kTwoTwo.data();
    const std::int64_t* strides;
    std::uint64_t byte_offset = 12;
  } tensor = {};
  const std::array<std::int64_t, 2> strides = {2, -1};
  tensor = {rows_.data(), 1, 0, 2, 2, 32, 1, kTwoTwo.data(), strides.data(), 12};
  strew_view lent = STREW_VIEW(nullptr, 0, 0, nullptr);
  ASSERT_EQ(strew_view_from_dlpack(&tensor, &lent, nullptr), STREW_OK);
  gathered_[0] = &lent;
  ids_ = {1, 0};
  EXPECT_EQ(strew_run("gather", nullptr, 0, gathered_.data(), 2, &result_, nullptr, nullptr), STREW_OK);
  EXPECT_EQ(picked_, (std::array<float, 4>{6, 5, 4, 3}));

  const auto refusal = [&] {
    return message_of([&](strew_error** error) { return strew_view_from_dlpack(&tensor, &lent, error); });
  };
  tensor.lanes = 4;
  EXPECT_EQ(refusal(),
            "view_from_dlpack: tensor has elements of the DLPack type with code 2, 32 bits and 4 lanes, which is "
            "not an ONNX type");
  tensor.lanes = 1;
  tensor.device_type = 2;
  EXPECT_EQ(refusal(),
            "view_from_dlpack: tensor is on a device of type 2; this interface supports host memory only");
}

TEST_F(CCalls, FoldsEdgesAsTheLibraryDoes) {
  const std::array<std::int64_t, 4> from = {0, 1, 3, 9}, to = {0, 0, 1, 1};
  std::array<float, 4> weights = {1, 2, 0.5f, 3}, base = {100, 100, 100, 100}, out = {};
  const strew_view sources = view(from, STREW_INT64, kFour), targets = view(to, STREW_INT64, kFour);
  const strew_view weight = view(weights, STREW_FLOAT32, kFour), start = view(base, STREW_FLOAT32, kTwoTwo);
  const strew_view output = view(out, STREW_FLOAT32, kTwoTwo);
  const std::array attributes = {STREW_WORD("out_of_bounds", "drop")};
  strew_edges* edges = nullptr;
  ASSERT_EQ(strew_edges_new(&sources, &targets, 4, 2, attributes.data(), 1, nullptr, &edges, nullptr), STREW_OK);
  const strew_gather_scatter_params params = {sizeof params, "add", nullptr, &weight, nullptr, &start, 0, 0};
  EXPECT_EQ(strew_gather_scatter(&table_, edges, &params, &output, nullptr, nullptr, nullptr), STREW_OK);
  strew_edges_free(edges);

  const auto same = make_edges(TensorView(from, {4}), TensorView(to, {4}), 4, 2, {OutOfBounds::kDrop});
  ASSERT_TRUE(same);
  const auto expected = gather_scatter(TensorView(rows_, {4, 2}), *same,
                                       {.weight = TensorView(weights, {4}), .base = TensorView(base, {2, 2})});
  ASSERT_TRUE(expected);
  EXPECT_EQ(std::vector<float>(out.begin(), out.end()),
            std::vector<float>(expected->values<float>().begin(), expected->values<float>().end()));
  EXPECT_EQ(out[0], 107);
}

TEST_F(CCalls, RunsOnTheCallersThreads) {
  std::vector<float> many(std::size_t{1} << 20, 1), copy(many.size());
  std::vector<std::int64_t> order(many.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  const std::array<std::int64_t, 1> shape = {static_cast<std::int64_t>(many.size())};
  const strew_view data = view(many, STREW_FLOAT32, shape), indices = view(order, STREW_INT64, shape);
  const strew_view output = view(copy, STREW_FLOAT32, shape);
  const std::array<const strew_view*, 2> inputs = {&data, &indices};
  std::int64_t tasks = 0;
  strew_options options = {sizeof options, nullptr, 0, 0, 0};
  const auto in_turn = [](void* user, void (*task)(void*, std::int64_t), void* context, std::int64_t count) {
    for (std::int64_t i = count; i-- > 0;) task(context, i);
    *static_cast<std::int64_t*>(user) += count;
  };
  ASSERT_EQ(strew_threads_from(4, in_turn, &tasks, &options.threads, nullptr), STREW_OK);
  EXPECT_EQ(strew_run("gather", nullptr, 0, inputs.data(), 2, &output, &options, nullptr), STREW_OK);
  strew_threads_free(options.threads);
  EXPECT_EQ(copy, many);
  EXPECT_GE(tasks, 4);
}

}  // namespace
}  // namespace strew::c
