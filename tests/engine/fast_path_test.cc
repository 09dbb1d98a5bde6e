// Tests the fast path: its calls allocate nothing, and reject what the general path rejects.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "core/machine.h"
#include "strew/explain.h"
#include "strew/ops.h"
#include "strew/testing.h"
#include "support/refusal.h"

namespace {
std::int64_t allocations = 0;
}

// Not inline: compilers would warn that memory from new is freed by free.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace strew {
namespace {

// Expects that the call succeeds without an allocation.
template <class Call>
void expect_no_allocation(const Call& call) {
  const std::int64_t before = allocations;
  const bool done = call().has_value();
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(done);
}

struct SmallCall : public testing::Test {
  SmallCall() { machine(); }  // its first call in a process allocates memory

  std::vector<float> data{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::int64_t> indices{4, 3, 1, -1, 4};
  std::vector<float> updates{9, 10, 11, 12, 13};
  std::vector<float> output = std::vector<float>(8, 0.0f);

  Status scatter(Reduction reduction, const IndexRules& rules = {}) {
    return scatter_nd_into(TensorView(data, {8}), TensorView(indices, {5, 1}), TensorView(updates, {5}),
                           {output, {8}}, {.reduction = reduction, .rules = rules});
  }
};

TEST_F(SmallCall, AllocatesNothing) {
  expect_no_allocation([&] { return scatter(Reduction::kNone); });
  EXPECT_EQ(output, (std::vector<float>{1, 11, 3, 10, 13, 6, 7, 12}));
}

TEST_F(SmallCall, FollowsTheRuleForNegativeValues) {
  const auto scatter_outside = [&](OutOfBounds rule) {
    const std::int64_t before = allocations;
    const Status status = scatter(Reduction::kNone, {rule, NegativeIndices::kOutOfBounds});
    return status ? std::to_string(allocations - before) + " allocations" : status.error().message();
  };
  EXPECT_EQ(scatter_outside(OutOfBounds::kError),
            "scatter_nd: indices[3, 0] = -1 is outside [0, 7] for axis 0 of data with shape [8]");
  EXPECT_EQ(output, std::vector<float>(8, 0.0f));
  scatter_outside(OutOfBounds::kDrop);
  EXPECT_EQ(output, (std::vector<float>{1, 11, 3, 10, 13, 6, 7, 8}));
  indices[3] = 7;
  EXPECT_EQ(scatter_outside(OutOfBounds::kError), "0 allocations");
  EXPECT_EQ(output, (std::vector<float>{1, 11, 3, 10, 13, 6, 7, 12}));
}

TEST_F(SmallCall, NamesABadIndexAndWritesNothing) {
  indices[2] = 8;
  EXPECT_EQ(message_of(scatter(Reduction::kAdd)),
            "scatter_nd: indices[2, 0] = 8 is outside [-8, 7] for axis 0 of data with shape [8]");
  EXPECT_EQ(output, std::vector<float>(8, 0.0f));
}

TEST_F(SmallCall, ChecksEveryComponentOfATuple) {
  const TensorView table(data, {2, 2, 2});
  std::vector<std::int32_t> tuples{1, -1, 0, 1};
  MutableTensorView rows(output.data(), DType::kFloat32, {2, 2});
  ASSERT_TRUE(gather_nd_into(table, TensorView(tuples, {2, 2}), rows));
  EXPECT_EQ(output, (std::vector<float>{7, 8, 3, 4, 0, 0, 0, 0}));
  tuples[1] = 2;
  EXPECT_EQ(message_of(gather_nd_into(table, TensorView(tuples, {2, 2}), rows)),
            "gather_nd: indices[0, 1] = 2 is outside [-2, 1] for axis 1 of data with shape [2, 2, 2]");
}

TEST_F(SmallCall, RefusesAnOverlap) {
  const MutableTensorView shifted(data.data() + 1, DType::kFloat32, {4});
  EXPECT_FALSE(gather_into(TensorView(data, {8}), TensorView(indices.data(), DType::kInt64, {4}), shifted));
  std::vector<float> both(15);
  for (const std::int64_t distance : {1, 4, 7}) {
    const MutableTensorView later(both.data() + distance, DType::kFloat32, {8});
    EXPECT_FALSE(scatter_nd_into(TensorView(both.data(), DType::kFloat32, {8}), TensorView(indices, {5, 1}),
                                 TensorView(updates, {5}), later));
  }
}

TEST_F(SmallCall, WithAddressesHasTheSameResult) {
  const auto plan = make_scatter_nd_plan({DType::kFloat32, {8}}, {DType::kInt64, {5, 1}}, {DType::kFloat32, {5}});
  const DenseOperands operands{data.data(), indices.data(), updates.data()};
  expect_no_allocation([&] { return run_dense(*plan, operands, output.data()); });
  EXPECT_EQ(output, (std::vector<float>{1, 11, 3, 10, 13, 6, 7, 12}));
  ASSERT_TRUE(run_dense(*plan, operands, data.data()));  // in place
  EXPECT_EQ(data, output);
}

TEST_F(SmallCall, WithAddressesRejectsTheSameCalls) {
  const auto plan = make_gather_plan({DType::kFloat32, {8}}, {DType::kInt64, {5}});
  EXPECT_FALSE(run_dense(*plan, {data.data(), indices.data()}, data.data() + 1));
  EXPECT_FALSE(run_dense(*plan, {data.data(), nullptr}, output.data()));
  EXPECT_FALSE(run_dense(*plan, {nullptr, indices.data()}, output.data()));
  indices[2] = 8;
  EXPECT_EQ(message_of(run_dense(*plan, {data.data(), indices.data()}, output.data())),
            "gather: indices[2] = 8 is outside [-8, 7] for axis 0 of data with shape [8]");
  EXPECT_EQ(output, std::vector<float>(8, 0.0f));
}

// Returns the result of the general path for the same plan and operands.
std::vector<float> by_general_path(const Plan& plan, const DenseOperands& operands, std::int64_t count) {
  std::vector<float> output(static_cast<std::size_t>(count));
  EXPECT_TRUE(run_dense(plan, operands, output.data(), {.overrides = force_strategy(StrategyKind::kSerial)}));
  return output;
}

struct SmallOperands : testing::Test {
  // The indices are legal for any axis of length `extent` or more.
  SmallOperands(std::size_t elements, std::size_t positions, std::int64_t extent)
      : data(elements), updates(positions), indices(positions) {
    std::iota(data.begin(), data.end(), 0.0f);
    for (std::int64_t i = 0; i < std::ssize(indices); ++i) {
      updates[static_cast<std::size_t>(i)] = 0.3f * static_cast<float>(i + 1);
      indices[static_cast<std::size_t>(i)] = i * i * 7 % (2 * extent) - extent;
    }
  }

  std::vector<float> data, updates;
  std::vector<std::int64_t> indices;
};

struct SmallRows : SmallOperands {
  SmallRows() : SmallOperands(5 * 7 * 6, 5 * 7 * 6, 5) {}

  // Expects the general path's result without an allocation, and an error before a write if the last index is bad.
  void expect_small(const Result<Plan>& plan, std::int64_t bad = 7) {
    ASSERT_TRUE(plan) << plan.error().message();
    const DenseOperands operands{data.data(), indices.data(), updates.data()};
    const std::int64_t count = plan->is_scatter() ? plan->data_count() : plan->position_count();
    std::vector<float> output(static_cast<std::size_t>(count));
    expect_no_allocation([&] { return run_dense(*plan, operands, output.data()); });
    EXPECT_EQ(output, by_general_path(*plan, operands, count));
    std::fill(output.begin(), output.end(), -1.0f);
    auto& last = indices[static_cast<std::size_t>(plan->index_count() - 1)];
    const std::int64_t good = std::exchange(last, bad);
    EXPECT_FALSE(run_dense(*plan, operands, output.data()));
    EXPECT_EQ(output, std::vector<float>(output.size(), -1.0f));
    last = good;
  }
};

TEST_F(SmallRows, CoverElementsOnEveryAxis) {
  const TensorSpec table{DType::kFloat32, {5, 7, 6}};
  for (const Shape& shape : {Shape{5, 5, 5}, Shape{2, 3, 1}, Shape{5, 7, 6}, Shape{1, 1, 4}}) {
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      const TensorSpec positions{DType::kInt64, shape};
      expect_small(make_gather_elements_plan(table, positions, {.axis = axis}));
      for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd}) {
        expect_small(make_scatter_elements_plan(table, positions, {DType::kFloat32, shape},
                                                {.axis = axis, .reduction = reduction}));
      }
    }
  }
}

TEST_F(SmallRows, CoverGathersOnEveryAxis) {
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{4, 5}}) {
      expect_small(make_gather_plan({DType::kFloat32, {5, 7, 6}}, {DType::kInt64, shape}, {.axis = axis}));
    }
  }
}

TEST_F(SmallRows, CoverTuplesInBatches) {
  const TensorSpec table{DType::kFloat32, {5, 7, 6}};
  expect_small(make_gather_nd_plan(table, {DType::kInt64, {5, 4, 1}}, {.batch_dims = 1}));
  expect_small(make_gather_nd_plan(table, {DType::kInt64, {5, 7, 1}}, {.batch_dims = 2}));
  expect_small(make_gather_nd_plan(table, {DType::kInt64, {5, 2}}, {.batch_dims = 1}));
  expect_small(make_gather_nd_plan(table, {DType::kInt64, {20, 3}}));
}

TEST_F(SmallRows, CoverTensorScatters) {
  for (std::size_t i = 0; i < 5; ++i) indices[i] = static_cast<std::int64_t>(i);
  for (std::int64_t axis = 1; axis < 3; ++axis) {
    for (const std::int64_t steps : {1, 2}) {
      Shape update{5, 7, 6};
      update[axis] = steps;
      const auto plan = [&](const Shape& cache, WriteMode mode) {
        return make_tensor_scatter_plan({DType::kFloat32, cache}, {DType::kFloat32, update},
                                        TensorSpec{DType::kInt64, {cache[0]}}, {.axis = axis, .mode = mode});
      };
      expect_small(plan({5, 7, 6}, WriteMode::kLinear));
      indices[3] = 6;  // wraps around to the start of the axis
      expect_small(plan({5, 7, 6}, WriteMode::kCircular), -1);
      indices[3] = 3;
      update[0] = 1;
      expect_small(plan({1, 7, 6}, WriteMode::kLinear));
    }
  }
}

TEST_F(SmallRows, OfMoreThanEightAxesUseTheGeneralPath) {
  const TensorSpec table{DType::kFloat32, {1, 1, 5, 1, 1, 1, 7, 1, 1, 6}};
  const DenseOperands operands{data.data(), indices.data(), updates.data()};
  const auto plan = make_gather_elements_plan(table, {DType::kInt64, table.shape}, {.axis = 2});
  std::vector<float> output(data.size());
  ASSERT_TRUE(run_dense(*plan, operands, output.data()));
  EXPECT_EQ(output, by_general_path(*plan, operands, std::ssize(data)));
}

// Strided operands: every second element of the memory, from the last to the first.
struct SmallStrided : SmallOperands {
  SmallStrided() : SmallOperands(96, 40, 4) {}

  template <class T>
  static TensorView backwards(const std::vector<T>& values, const Shape& shape) {
    Shape strides = dense_strides(shape);
    for (std::int64_t axis = 0; axis < strides.rank(); ++axis) strides[axis] *= -2;
    return {&values.back(), dtype_of<T>, shape, strides};
  }

  // Expects that the fast path writes the same `output` as the general path, without an allocation.
  void expect_small(const Plan& plan, const Operands& operands, const Shape& output_shape) const {
    std::vector<float> general(96, -1.0f);
    ASSERT_TRUE(run(plan, operands, {general.data(), DType::kFloat32, output_shape},
                    {.overrides = force_strategy(StrategyKind::kSerial)}));
    std::vector<float> output(96, -1.0f);
    const MutableTensorView small(output.data(), DType::kFloat32, output_shape);
    const auto explained = explain(plan, operands, small).value();
    EXPECT_EQ(explained.strategy.reason, "a call this small runs at once, without a choice of strategy");
    expect_no_allocation([&] { return run(plan, operands, small); });
    EXPECT_EQ(output, general);
  }
};

TEST_F(SmallStrided, IndicesAndUpdatesAreNotCopied) {
  const Shape shape{4, 5};
  const TensorView table(data, {8, 12});
  const auto plan = make_scatter_elements_plan(table, {DType::kInt64, shape}, {DType::kFloat32, shape},
                                               {.axis = 0, .reduction = Reduction::kAdd});
  expect_small(*plan, {table, backwards(indices, shape), backwards(updates, shape)}, {8, 12});
  expect_small(*plan, {table, TensorView(indices.data(), DType::kInt64, shape), backwards(updates, shape)},
               {8, 12});
}

TEST_F(SmallStrided, DataOfAGatherAreNotCopied) {
  const TensorView table = backwards(data, {8, 6});
  const TensorView elements(indices.data(), DType::kInt64, {4, 5});
  expect_small(*make_gather_elements_plan(table, elements, {.axis = 1}), {table, elements}, {4, 5});
  const TensorView rows(data.data(), DType::kFloat32, {4, 2, 6}, {24, 12, 1});  // rows with gaps between them
  const TensorView chosen = backwards(indices, {3});
  expect_small(*make_gather_plan(rows, chosen, {.axis = 0}), {rows, chosen}, {3, 2, 6});
  const TensorView apart(data.data(), DType::kFloat32, {4, 6}, {24, 1});
  expect_small(*make_gather_plan(apart, chosen, {.axis = 0}), {apart, chosen}, {3, 6});
  const TensorView one(&data[5], DType::kFloat32, {1, 1}, {7, 7});
  const std::vector<std::int64_t> zeros(4);
  expect_small(*make_gather_plan(one, TensorSpec(DType::kInt64, {4}), {.axis = 0}), {one, TensorView(zeros, {4})},
               {4, 1});
}

TEST_F(SmallStrided, DataAreUpdatedInPlace) {
  const Shape shape{4, 5};
  std::vector<float> general = data;
  for (const bool small : {false, true}) {
    std::vector<float>& memory = small ? data : general;
    const MutableTensorView table(&memory[95], DType::kFloat32, {8, 6}, {-12, -2});
    const auto plan = make_scatter_elements_plan(table, {DType::kInt64, shape}, {DType::kFloat32, shape},
                                                 {.axis = 0, .reduction = Reduction::kAdd});
    Options options;
    if (!small) options.overrides = force_strategy(StrategyKind::kSerial);
    const Operands operands{table, backwards(indices, shape), backwards(updates, shape)};
    ASSERT_TRUE(run(*plan, operands, table, options));
  }
  EXPECT_EQ(data, general);
}

TEST_F(SmallStrided, ABadIndexIsNamedAndNothingIsWritten) {
  indices[33] = 8;
  const TensorView table(data, {8, 12});
  std::vector<float> output(96, -1.0f);
  EXPECT_EQ(message_of(scatter_elements_into(table, backwards(indices, {2, 3}), backwards(updates, {2, 3}),
                                             {output, {8, 12}}, {.axis = 0, .reduction = Reduction::kAdd})),
            "scatter_elements: indices[1, 0] = 8 is outside [-8, 7] for axis 0 of data with shape [8, 12]");
  EXPECT_EQ(output, std::vector<float>(96, -1.0f));
}

TEST(DenseCall, MayBeLarge) {
  const std::vector<std::int32_t> data(100000, 7);
  const std::vector<std::int64_t> indices(100000, -1);
  std::vector<std::int32_t> output(100000, 0);
  const auto plan = make_gather_plan({DType::kInt32, {100000}}, {DType::kInt64, {100000}});
  ASSERT_TRUE(run_dense(*plan, {data.data(), indices.data()}, output.data()));
  EXPECT_EQ(output, data);
}

}  // namespace
}  // namespace strew
