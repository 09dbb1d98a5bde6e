// The kernels alone, over blocks of 512 offsets as the engine gives them: "kernel/NAME/TYPE/row/table".
#include <benchmark/benchmark.h>

#include "kernel/kernel.h"
#include "kernel/stream.h"
#include "workload.h"

namespace strew::bench {
namespace {

constexpr std::int64_t kBlock = 512;

// Offsets of rows anywhere in a table, and of rows that follow each other.
struct Offsets {
  std::vector<std::int64_t> random;
  std::vector<std::int64_t> dense;
  Offsets(std::int64_t rows, std::int64_t row) {
    const Tensor chosen = uniform({kBlock}, rows, 2);
    for (std::int64_t i = 0; i < kBlock; ++i) {
      random.push_back(chosen.values<std::int64_t>()[static_cast<std::size_t>(i)] * row);
      dense.push_back(i * row);
    }
  }
};

void count(benchmark::State& state, std::int64_t row, DType dtype) {
  state.SetItemsProcessed(state.iterations() * kBlock * row);
  state.SetBytesProcessed(state.iterations() * kBlock * row * bit_width(dtype) / 8);
}

// state.range: elements of a row, rows of the table.
void gather(benchmark::State& state, DType dtype) {
  const Tensor table = random_data(dtype, {state.range(1), state.range(0)}, 1);
  Tensor output = random_data(dtype, {kBlock, state.range(0)}, 3);
  const Offsets offsets(state.range(1), state.range(0));
  const Kernel kernel = copy_kernel(dtype);
  for (auto _ : state) {
    kernel(output.mutable_data(), table.data(), offsets.dense.data(), offsets.random.data(), kBlock,
           state.range(0));
    benchmark::ClobberMemory();
  }
  count(state, state.range(0), dtype);
}

void scatter(benchmark::State& state, DType dtype, Reduction reduction) {
  Tensor table = random_data(dtype, {state.range(1), state.range(0)}, 1);
  const Tensor updates = random_data(dtype, {kBlock, state.range(0)}, 3);
  const Offsets offsets(state.range(1), state.range(0));
  const Kernel kernel = reduction == Reduction::kNone ? copy_kernel(dtype) : combine_kernel(dtype, reduction);
  for (auto _ : state) {
    kernel(table.mutable_data(), updates.data(), offsets.random.data(), offsets.dense.data(), kBlock,
           state.range(0));
    benchmark::ClobberMemory();
  }
  count(state, state.range(0), dtype);
}

void stream(benchmark::State& state) {
  const Tensor source = random_data(DType::kUInt8, {state.range(0)}, 1);
  Tensor target = random_data(DType::kUInt8, {state.range(0)}, 2);
  for (auto _ : state) {
    stream_copy()(static_cast<std::byte*>(target.mutable_data()), static_cast<const std::byte*>(source.data()),
                  state.range(0));
    stream_fence();
  }
  state.SetBytesProcessed(2 * state.iterations() * state.range(0));
}

}  // namespace

void register_kernels() {
  const std::vector<std::vector<std::int64_t>> shapes = {{1, 16, 256}, {64, 1 << 14}};
  for (const DType dtype :
       {DType::kUInt8, DType::kFloat16, DType::kFloat32, DType::kFloat64, DType::kComplex128}) {
    const std::string name(dtype_name(dtype));
    benchmark::RegisterBenchmark(("kernel/gather/" + name).c_str(), gather, dtype)->ArgsProduct(shapes);
    benchmark::RegisterBenchmark(("kernel/scatter/" + name).c_str(), scatter, dtype, Reduction::kNone)
        ->ArgsProduct(shapes);
  }
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt8,
                            DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8}) {
    for (const Reduction reduction : {Reduction::kAdd, Reduction::kMul, Reduction::kMax, Reduction::kMin}) {
      const std::string name =
          "kernel/" + std::string(reduction_name(reduction)) + "/" + std::string(dtype_name(dtype));
      benchmark::RegisterBenchmark(name.c_str(), scatter, dtype, reduction)->ArgsProduct({{1, 16, 256}, {64}});
    }
  }
  benchmark::RegisterBenchmark("kernel/stream_copy", stream)->Arg(1 << 24)->Arg(1 << 28);
}

}  // namespace strew::bench
