// Laws between operators, and between ways to call them, that need no oracle; for every type and reduction.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "core/machine.h"
#include "reference/combine.h"
#include "strew/ops.h"
#include "support/compare.h"
#include "support/executors.h"
#include "support/random_tensor.h"
#include "support/strided_tensor.h"

namespace strew::support {
namespace {

constexpr Reduction kReductions[] = {Reduction::kNone, Reduction::kAdd, Reduction::kMul, Reduction::kMax,
                                     Reduction::kMin};

// Calls body(dtype, reduction) for all pairs that are defined.
template <class Body>
void for_each_reduction(Body body) {
  for (int number = kDTypeMin; number <= kDTypeMax; ++number) {
    for (const Reduction reduction : kReductions) {
      const auto dtype = static_cast<DType>(number);
      if (!reference::reduction_defined(dtype, reduction)) continue;
      SCOPED_TRACE(std::string(dtype_name(dtype)) + " " + std::string(reduction_name(reduction)));
      body(dtype, reduction);
    }
  }
}

template <class Body>
void for_each_dtype(Body body) {
  for_each_reduction([&](DType dtype, Reduction reduction) {
    if (reduction == Reduction::kNone) body(dtype);
  });
}

Tensor reshaped(const Tensor& tensor, const Shape& shape) {
  return Tensor::copy_of(TensorView(tensor.data(), tensor.dtype(), shape)).value();
}

Tensor random_indices(Random& random, IndexPattern pattern, std::int64_t size, const Shape& shape) {
  const auto values = index_values(random, pattern, element_count(shape), size, DType::kInt64);
  return index_tensor(DType::kInt64, values, shape);
}

Options with(int threads) {
  Options options;
  options.executor = &test_executor(threads);
  return options;
}

TEST(Laws, GatherNDReturnsWhatScatterNDWroteToUniqueTuples) {
  for_each_dtype([](DType dtype) {
    Random random(1);
    for (const Shape& row : {Shape{}, Shape{1}, Shape{6}, Shape{2, 17}}) {
      Shape shape{53};
      Shape update_shape{31};
      for (std::int64_t dim : row) {
        shape.push_back(dim);
        update_shape.push_back(dim);
      }
      // A permutation is unique, also when cut short.
      const auto all = index_values(random, IndexPattern::kPermutation, 53, 53, DType::kInt64);
      const Tensor tuples = index_tensor(DType::kInt64, {all.begin(), all.begin() + 31}, {31, 1});
      const Tensor updates = random_tensor(random, dtype, update_shape);
      const auto written = scatter_nd(random_tensor(random, dtype, shape), tuples, updates, {}, with(2));
      ASSERT_TRUE(written) << written.error().message();
      EXPECT_TRUE(same_bits(updates, gather_nd(*written, tuples, {}, with(2)).value()));
    }
  });
}

TEST(Laws, GatherElementsReturnsWhatScatterElementsWroteToUniquePlaces) {
  for_each_dtype([](DType dtype) {
    Random random(2);
    const Shape shape{29, 7};
    std::vector<std::int64_t> values(29 * 7);
    for (std::size_t column = 0; column < 7; ++column) {
      const auto rows = index_values(random, IndexPattern::kPermutation, 29, 29, DType::kInt64);
      for (std::size_t row = 0; row < 29; ++row) values[row * 7 + column] = rows[row];
    }
    const Tensor indices = index_tensor(DType::kInt64, values, shape);
    const Tensor updates = random_tensor(random, dtype, shape);
    const auto written = scatter_elements(random_tensor(random, dtype, shape), indices, updates, {}, with(2));
    ASSERT_TRUE(written) << written.error().message();
    EXPECT_TRUE(same_bits(updates, gather_elements(*written, indices, {}, with(2)).value()));
  });
}

TEST(Laws, GatherNDWithTuplesOfOneIsGatherAlongAxisZero) {
  for_each_dtype([](DType dtype) {
    Random random(3);
    const Tensor data = random_tensor(random, dtype, {11, 5, 3});
    const Tensor indices = random_indices(random, IndexPattern::kRandom, 11, {4, 9});
    EXPECT_TRUE(same_bits(gather(data, indices).value(), gather_nd(data, reshaped(indices, {4, 9, 1})).value()));
  });
}

TEST(Laws, ScatterElementsOfRankOneIsScatterND) {
  for_each_reduction([](DType dtype, Reduction reduction) {
    Random random(4);
    for (int pattern = 0; pattern < kIndexPatternCount; ++pattern) {
      const Tensor data = random_tensor(random, dtype, {97});
      const Tensor indices = random_indices(random, static_cast<IndexPattern>(pattern), 97, {1500});
      const Tensor updates = random_tensor(random, dtype, {1500});
      const auto elements = scatter_elements(data, indices, updates, {.reduction = reduction}, with(1));
      const auto tuples =
          scatter_nd(data, reshaped(indices, {1500, 1}), updates, {.reduction = reduction}, with(7));
      ASSERT_TRUE(elements && tuples);
      EXPECT_TRUE(same_bits(*elements, *tuples));
    }
  });
}

TEST(Laws, ScatterElementsWithRepeatedIndicesIsScatterNDOfRows) {
  for_each_reduction([](DType dtype, Reduction reduction) {
    Random random(5);
    const Tensor data = random_tensor(random, dtype, {23, 8});
    const Tensor indices = random_indices(random, IndexPattern::kRandom, 23, {40, 1});
    const Tensor updates = random_tensor(random, dtype, {40, 8});
    const TensorView repeated(indices.data(), DType::kInt64, {40, 8}, {1, 0});
    const auto elements = scatter_elements(data, repeated, updates, {.reduction = reduction}, with(2));
    const auto rows = scatter_nd(data, indices, updates, {.reduction = reduction}, with(3));
    ASSERT_TRUE(elements && rows);
    EXPECT_TRUE(same_bits(*elements, *rows));
  });
}

TEST(Laws, TheNumberOfThreadsAndTheOrderOfTasksDoNotShow) {
  const ScopedMachine small({1 << 10, 8 << 10, 64 << 10});  // or so few rows would be left to one thread
  for_each_reduction([](DType dtype, Reduction reduction) {
    Random random(6);
    const Tensor data = random_tensor(random, dtype, {300, 270});
    const Tensor indices = random_indices(random, IndexPattern::kRandom, 300, {1000, 1});
    const Tensor updates = random_tensor(random, dtype, {1000, 270});
    const auto run_with = [&](Executor& executor) {
      Options options;
      options.executor = &executor;
      return scatter_nd(data, indices, updates, {.reduction = reduction}, options).value();
    };
    const Tensor expected = run_with(serial_executor());
    for (const int threads : {1, 2, 7})
      EXPECT_TRUE(same_bits(expected, run_with(test_executor(threads)))) << threads;
    Executor& usual = default_executor();
    EXPECT_TRUE(same_bits(expected, run_with(usual)));
    OrderedExecutor reverse(5, TaskOrder::kReverse);
    EXPECT_TRUE(same_bits(expected, run_with(reverse)));
    EXPECT_TRUE(is_packed(dtype) || reverse.tasks_run() > 1) << "no parallel run was tested";
    ThreadExecutor shuffled(4, TaskOrder::kShuffled);
    EXPECT_TRUE(same_bits(expected, run_with(shuffled)));
  });
}

TEST(Laws, OddAddressesGiveTheSameBits) {
  for_each_reduction([](DType dtype, Reduction reduction) {
    if (dtype == DType::kString) return;
    Random random(7);
    const Tensor data = random_tensor(random, dtype, {61, 3});
    const Tensor indices = random_indices(random, IndexPattern::kRandom, 61, {200, 3});
    const Tensor updates = random_tensor(random, dtype, {200, 3});
    const Tensor expected = scatter_elements(data, indices, updates, {.reduction = reduction}).value();
    Layout odd = dense_layout({61, 3});
    odd.odd_bytes = 1;
    Layout odd_positions = dense_layout({200, 3});
    odd_positions.odd_bytes = 3;
    StridedTensor output(dtype, {61, 3}, odd);
    const Status status = scatter_elements_into(
        StridedTensor(data, odd).view(), StridedTensor(indices, odd_positions).view(),
        StridedTensor(updates, odd_positions).view(), output.mutable_view(), {.reduction = reduction});
    ASSERT_TRUE(status) << status.error().message();
    EXPECT_TRUE(same_bits(expected, output.view()));
  });
}

}  // namespace
}  // namespace strew::support
