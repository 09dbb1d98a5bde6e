// Tests the order of positions: a traversal in tiles gives the same bits as one pass.
#include "engine/traversal/tasks.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/machine.h"
#include "strew/strew.h"
#include "strew/testing.h"
#include "support/executors.h"

namespace strew::support {
namespace {

TEST(Tasks, GiveTheSameBitsTileByTile) {
  for (const Shape& shape : {Shape{3, 5001}, Shape{2, 3, 4003}, Shape{2, 4, 2, 513}}) {
    Tensor data = Tensor::uninitialized(DType::kFloat32, shape).value();
    Tensor indices = Tensor::uninitialized(DType::kInt64, shape).value();
    const std::int64_t axis = shape.rank() == 2 ? 0 : 1;
    auto* values = static_cast<float*>(data.mutable_data());
    auto* index = static_cast<std::int64_t*>(indices.mutable_data());
    for (std::int64_t i = 0; i < data.element_count(); ++i) {
      values[i] = 1.0F + 1.0F / static_cast<float>(i + 1);
      index[i] = i * 7919 % (2 * shape[axis]) - shape[axis];
    }
    Options one{.executor = &serial_executor()};
    const CallParams add{.op = OpKind::kScatterElements, .axis = axis, .reduction = Reduction::kAdd};
    const Tensor gathered = gather_elements(data, indices, {.axis = axis}, one).value();
    const Tensor sums = scatter_elements(data, indices, gathered, add, one).value();

    const ScopedMachine small({1 << 10, 32 << 10, 4 << 10});
    one.overrides = force_strategy(StrategyKind::kSerial);
    for (const int threads : {1, 2, 5}) {
      Options tiled = one;
      tiled.executor = &test_executor(threads);
      for (const auto kind : {StrategyKind::kSerial, StrategyKind::kSplitPositions}) {
        tiled.overrides = force_strategy(kind);
        const auto bytes = static_cast<std::size_t>(data.size_bytes());
        const Tensor gathered_so = gather_elements(data, indices, {.axis = axis}, tiled).value();
        EXPECT_EQ(std::memcmp(gathered.data(), gathered_so.data(), bytes), 0) << to_string(shape);
        const Tensor sums_so = scatter_elements(data, indices, gathered, add, tiled).value();
        EXPECT_EQ(std::memcmp(sums.data(), sums_so.data(), bytes), 0) << to_string(shape);
      }
    }
  }
}

}  // namespace
}  // namespace strew::support
