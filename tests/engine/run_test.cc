// Tests whole calls: rejections before the first write, calls in place, strides, duplicates, executors.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "core/machine.h"
#include "strew/ops.h"
#include "support/executors.h"
#include "support/refusal.h"

namespace strew {
namespace {

using Floats = std::vector<float>;

class Run : public ::testing::Test {
 protected:
  Floats data_{1, 2, 3, 4};
  std::vector<std::int64_t> indices_{1, 1, -1};
  Floats updates_{10, 20, 30};

  TensorView data() const { return {data_, {4}}; }
  TensorView indices() const { return {indices_, {3, 1}}; }
  TensorView updates() const { return {updates_, {3}}; }
};

TEST_F(Run, RefusesEveryOtherOverlap) {
  Floats memory(8, 1.0f);
  const MutableTensorView output(memory.data() + 1, DType::kFloat32, {4});
  const TensorView shifted(memory.data(), DType::kFloat32, {4});
  EXPECT_EQ(message_of(scatter_nd_into(shifted, indices(), updates(), output)),
            "scatter_nd: output overlaps data in memory; to work in place both must be the same tensor");
  const TensorView as_updates(memory.data() + 4, DType::kFloat32, {3});
  EXPECT_EQ(scatter_nd_into(data(), indices(), as_updates, output).error().message(),
            "scatter_nd: output overlaps updates in memory; it must have memory of its own");
  std::vector<std::int64_t> both{0, 1, 2};
  const MutableTensorView on_indices(both, {3});
  EXPECT_EQ(gather_into(TensorView(both, {3}), TensorView(both, {3}), on_indices).error().message(),
            "gather: output overlaps data in memory; it must have memory of its own");
  EXPECT_EQ(memory, Floats(8, 1.0f));
  EXPECT_TRUE(scatter_nd_into(shifted, indices(), updates(), {memory.data() + 4, DType::kFloat32, {4}}));
}

TEST_F(Run, RejectsAnOutputWhoseElementsShareMemory) {
  Floats memory(4, 0.0f);
  const MutableTensorView broadcast(memory.data(), DType::kFloat32, {4}, {0});
  EXPECT_EQ(
      scatter_nd_into(data(), indices(), updates(), broadcast).error().message(),
      "scatter_nd: output has shape [4] and strides [0]: elements may share memory, so it cannot be written to");
}

TEST_F(Run, RejectsAnOutputOfAnotherShapeOrType) {
  Floats memory(6, 0.0f);
  EXPECT_EQ(gather_into(data(), indices(), {memory, {6}}).error().message(),
            "gather: output is float32 [6]; the plan is for float32 [3, 1]");
  EXPECT_EQ(gather_into(data(), indices(), {memory.data(), DType::kInt32, {3, 1}}).error().code,
            ErrorCode::kInvalidType);
}

TEST_F(Run, RejectsASpanOfTheWrongLength) {
  EXPECT_EQ(gather(TensorView(data_, {5}), indices()).error().message(),
            "gather: data has shape [5], which is 5 elements, but the given range has 4");
}

TEST_F(Run, LeavesTheOutputOnAnIndexOutOfRange) {
  Floats output(4, 7.0f);
  indices_[2] = 4;
  EXPECT_EQ(message_of(scatter_nd_into(data(), indices(), updates(), {output, {4}})),
            "scatter_nd: indices[2, 0] = 4 is outside [-4, 3] for axis 0 of data with shape [4]");
  EXPECT_EQ(output, Floats(4, 7.0f));
}

TEST_F(Run, ReportsDuplicatesOnRequest) {
  EXPECT_EQ(
      message_of(scatter_nd(data(), indices(), updates(), {}, {.reject_duplicates = true})),
      "scatter_nd: updates[1] has the same destination as updates[0] (indices[1] and indices[0]), and duplicates "
      "are rejected");
  EXPECT_TRUE(
      scatter_nd(data(), indices(), updates(), {.reduction = Reduction::kAdd}, {.reject_duplicates = true}));
  indices_ = {1, 0, -1};
  EXPECT_TRUE(scatter_nd(data(), indices(), updates(), {}, {.reject_duplicates = true}));
}

TEST_F(Run, NamesDuplicateRows) {
  const std::vector<std::int32_t> packed_rows{2, 1, 2};
  const auto cache = Tensor::zeros(DType::kInt4, {4, 2, 2}).value();
  const auto rows = Tensor::zeros(DType::kInt4, {3, 2, 2}).value();
  EXPECT_EQ(
      message_of(scatter_nd(cache, TensorView(packed_rows, {3, 1}), rows, {}, {.reject_duplicates = true})),
      "scatter_nd: updates[2, 0, 0] has the same destination as updates[0, 0, 0] (indices[2] and indices[0]), "
      "and duplicates are rejected");
}

TEST_F(Run, UsesAPlanManyTimes) {
  const auto plan = make_scatter_nd_plan(data(), indices(), updates(), {.reduction = Reduction::kAdd});
  const MutableTensorView cache(data_, {4});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(run(*plan, {cache, indices(), updates()}, cache));
  EXPECT_EQ(data_, (Floats{1, 92, 3, 94}));
  EXPECT_FALSE(run(*plan, {cache, indices()}, cache)) << "updates are missing";
}

TEST_F(Run, KeepsTheBitsAfterTheLastPackedElement) {
  const std::vector<std::uint8_t> cache{0x21, 0xF3};
  std::vector<std::uint8_t> memory{0x00, 0xA0};
  const std::vector<std::uint8_t> update{0x05};
  const std::vector<std::int64_t> at{0};
  const MutableTensorView output(memory.data(), DType::kInt4, {3});
  ASSERT_TRUE(scatter_elements_into(TensorView(cache.data(), DType::kInt4, {3}), TensorView(at, {1}),
                                    TensorView(update.data(), DType::kInt4, {1}), output));
  EXPECT_EQ(memory, (std::vector<std::uint8_t>{0x25, 0xA3}));
}

TEST_F(Run, IgnoresStridesThatMoveNothing) {
  const MutableTensorView odd(data_.data(), DType::kFloat32, {1, 4}, {99, 1});
  const TensorView dense(data_.data(), DType::kFloat32, {1, 4});
  const std::vector<std::int64_t> tuples{0, 1};
  const std::vector<float> one{9};
  EXPECT_TRUE(scatter_nd_into(dense, TensorView(tuples, {1, 2}), TensorView(one, {1}), odd));
  EXPECT_EQ(data_, (Floats{1, 9, 3, 4}));
  const TensorView empty(nullptr, DType::kFloat32, {3, 0, 5}, {INT64_MAX, INT64_MAX, INT64_MAX});
  EXPECT_TRUE(gather(empty, TensorView(tuples, {2})));
}

TEST_F(Run, AcceptsNullIndicesIfTuplesHaveNoComponents) {
  const TensorView none(nullptr, DType::kInt64, {2, 0}, {7, 1});
  const Floats whole{1, 1, 1, 1, 2, 2, 2, 2};
  const auto result = scatter_nd(data(), none, TensorView(whole, {2, 4}), {.reduction = Reduction::kAdd}).value();
  EXPECT_EQ(result.values<float>()[3], 7.0f);
}

TEST_F(Run, RejectsNumbersThatAreNoEnumerators) {
  EXPECT_EQ(Tensor::zeros(static_cast<DType>(27), {2}).error().message(),
            "tensor has element type number 27; valid numbers are 1 to 26");
  EXPECT_FALSE(gather(TensorView(data_.data(), static_cast<DType>(200), {4}), indices()));
  EXPECT_FALSE(scatter_nd(data(), indices(), updates(), {.reduction = static_cast<Reduction>(9)}));
  const Floats cache(4, 0.0f);
  EXPECT_FALSE(tensor_scatter(TensorView(cache, {2, 2}), TensorView(cache, {2, 2}), std::nullopt,
                              {.axis = 1, .mode = static_cast<WriteMode>(7)}));
}

class ThrowingExecutor final : public Executor {
 public:
  int thread_count() const noexcept override { return 2; }
  void run(void (*)(void*, std::int64_t), void*, std::int64_t) override {
    if (odd) throw 42;
    throw std::runtime_error("no threads");
  }
  bool odd = false;
};

TEST_F(Run, TurnsAnExceptionOfTheExecutorIntoAnError) {
  ThrowingExecutor executor;
  const std::vector<std::int64_t> many(100'000, 1);
  const auto refusal = [&] {
    return message_of(gather(data(), TensorView(many, {100'000}), {}, {.executor = &executor}));
  };
  EXPECT_EQ(refusal(), "gather: the executor failed: no threads");
  executor.odd = true;
  EXPECT_EQ(refusal(), "gather: the executor failed");
}

TEST_F(Run, RunsOnAnExecutorThatReportsNoThreads) {
  support::OrderedExecutor executor(0, support::TaskOrder::kReverse);
  const Floats large(100'000, 5.0f);
  const auto result =
      scatter_nd(TensorView(large, {100'000}), indices(), updates(), {}, {.executor = &executor}).value();
  EXPECT_EQ(result.values<float>()[99'998], 5.0f);
  EXPECT_EQ(result.values<float>()[99'999], 30.0f);
}

// Reports two threads and one thread in turn.
class WaveringExecutor final : public Executor {
 public:
  int thread_count() const noexcept override { return asked_++ % 2 == 0 ? 2 : 1; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i) task(context, i);
  }

 private:
  mutable std::atomic<int> asked_ = 0;
};

TEST_F(Run, WritesNothingForABadIndexIfTheNumberOfThreadsChanges) {
  const ScopedMachine small({1 << 10, 8 << 10, 64 << 10});
  WaveringExecutor executor;
  const Floats large(100'000, 5.0f);
  const Floats updates(50'000, 1.0f);
  std::vector<std::int64_t> indices(50'000);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i * 7919 % large.size());
  indices.back() = 100'000;
  Floats output(large.size(), -1.0f);
  expect_refused(scatter_nd_into(TensorView(large, {100'000}), TensorView(indices, {50'000, 1}),
                                 TensorView(updates, {50'000}), MutableTensorView(output, {100'000}),
                                 {.reduction = Reduction::kAdd}, {.executor = &executor}),
                 ErrorCode::kIndexOutOfRange);
  EXPECT_EQ(output, Floats(large.size(), -1.0f));
}

}  // namespace
}  // namespace strew
