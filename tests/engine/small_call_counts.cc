// Small calls whose instructions small_call_counts.py counts. After a few unmeasured runs, each call runs once in
// `measured_call`, the function in which callgrind counts.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/machine.h"
#include "core/parallel.h"
#include "strew/ops.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "support/instruction_sets.h"

// Replaces the system's allocator: each allocation takes the same few instructions, and nothing is freed.
namespace {

constexpr std::size_t kArena = 16 << 20;
alignas(4096) std::byte arena[kArena];
std::size_t taken = 0;

void* take(std::size_t alignment, std::size_t bytes) noexcept {
  const std::size_t begin = (taken + alignment - 1) / alignment * alignment;
  if (bytes > kArena - begin) return nullptr;
  taken = begin + bytes;
  return arena + begin;
}

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) noexcept { return take(64, bytes); }
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return take(64, count * bytes);
}  // the memory is zero, because the arena never reuses memory
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept { return take(alignment, bytes); }
void* realloc(void* memory, std::size_t bytes) noexcept {
  void* other = take(64, bytes);
  if (memory == nullptr || other == nullptr) return other;
  const auto all = static_cast<std::size_t>(arena + kArena - static_cast<std::byte*>(memory));
  return std::memcpy(other, memory, std::min(bytes, all));
}
void free(void*) noexcept {}
}

namespace strew {
namespace {

struct SmallCall {
  const char* name;
  bool (*run)(const SmallCall&);
  Plan plan;
  Operands operands;
  MutableTensorView result;
};

}  // namespace
}  // namespace strew

// callgrind finds this function by its name.
extern "C" [[gnu::noinline]] bool measured_call(const strew::SmallCall* call) {
  const bool ok = call->run(*call);
  asm volatile("" : : : "memory");  // prevents a tail call, which would leave the function before `run`
  return ok;
}

namespace strew {
namespace {

constexpr std::int64_t kMost = 64;

std::vector<float> floats(std::int64_t count) {
  std::vector<float> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 1.0f);
  return all;
}

// Returns unordered index values. They are a permutation of 0 to extent - 1 if `count` equals `extent`.
std::vector<std::int64_t> some_indices(std::int64_t count, std::int64_t extent) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = (7 * i + 3) % extent;
  return all;
}

const Options& serial() {
  static const Options options{&serial_executor()};
  return options;
}

struct Memory {
  std::vector<float> data = floats(kMost * 16);
  std::vector<float> updates = floats(kMost * 16);
  std::vector<float> output = floats(kMost * 16);
  std::vector<std::int64_t> indices = some_indices(2 * kMost, 8);
};

Memory& memory() {
  static Memory all;
  return all;
}

TensorView data(const Shape& shape) { return {memory().data.data(), DType::kFloat32, shape}; }
TensorView updates(const Shape& shape) { return {memory().updates.data(), DType::kFloat32, shape}; }
TensorView indices(const Shape& shape) { return {memory().indices.data(), DType::kInt64, shape}; }
MutableTensorView output(const Shape& shape) { return {memory().output.data(), DType::kFloat32, shape}; }

// Makes the plan and the views before the measurement, because they are not part of the call.
SmallCall small_call(const char* name, bool (*by)(const SmallCall&), const CallParams& params,
                     const Operands& operands) {
  const Plan plan = *make_plan(params, operands.data, operands.indices, operands.updates);
  return {name, by, plan, operands, output(plan.output_shape())};
}

// Returns a call of `run` with these operands.
SmallCall with_views(const char* name, const CallParams& params, const Operands& operands) {
  const auto run_views = [](const SmallCall& call) {
    return run(call.plan, call.operands, call.result, serial()).has_value();
  };
  return small_call(name, run_views, params, operands);
}

// Returns a call of `run_dense` with these operands.
SmallCall with_addresses(const char* name, const CallParams& params, const Operands& operands) {
  const auto run_addresses = [](const SmallCall& call) {
    const auto& [of, at, with] = call.operands;
    return run_dense(call.plan, {of.data(), at->data(), with ? with->data() : nullptr}, call.result.data(),
                     serial())
        .has_value();
  };
  return small_call(name, run_addresses, params, operands);
}

bool run_gather_into(const SmallCall& call) {
  return gather_into(call.operands.data, *call.operands.indices, call.result, {}, serial()).has_value();
}

bool run_scatter_nd_into(const SmallCall& call) {
  const auto& [of, at, with] = call.operands;
  return scatter_nd_into(of, *at, *with, call.result, {}, serial()).has_value();
}

std::vector<SmallCall> small_calls() {
  using enum OpKind;
  using enum Reduction;
  const IndexRules clip{OutOfBounds::kClip};
  const IndexRules drop{OutOfBounds::kDrop, NegativeIndices::kOutOfBounds};
  const TensorView every_other_row(memory().data.data(), DType::kFloat32, {8, 4}, Shape{8, 1});
  const TensorView transposed(memory().data.data(), DType::kFloat32, {8, 8}, Shape{1, 8});
  const Operands updates_of_16{data({8}), indices({16, 1}), updates({16})};
  return {
      with_addresses("run_dense_gather_16_rows_of_4", {.op = kGather}, {data({8, 4}), indices({16})}),
      with_views("run_gather_1_row_of_16", {.op = kGather}, {data({8, 16}), indices({1})}),
      with_views("run_gather_elements_64", {.op = kGatherElements}, {data({8, 8}), indices({8, 8})}),
      with_addresses("run_dense_gather_nd_16_pairs", {.op = kGatherND}, {data({8, 8}), indices({16, 2})}),
      with_views("run_scatter_elements_16", {.op = kScatterElements},
                 {data({8, 4}), indices({4, 4}), updates({4, 4})}),
      with_addresses("run_dense_scatter_elements_add_64", {.op = kScatterElements, .axis = 1, .reduction = kAdd},
                     {data({8, 8}), indices({8, 8}), updates({8, 8})}),
      with_views("run_scatter_nd_16", {.op = kScatterND}, updates_of_16),
      with_addresses("run_dense_scatter_nd_add_1", {.op = kScatterND, .reduction = kAdd},
                     {data({8}), indices({1, 1}), updates({1})}),
      with_views("run_tensor_scatter_2_of_4_steps", {.op = kTensorScatter},
                 {data({2, 2, 16, 8}), indices({2}), updates({2, 2, 4, 8})}),
      with_views("run_gather_16_rows_of_every_other", {.op = kGather}, {every_other_row, indices({16})}),
      with_views("run_gather_16_rows_clip", {.op = kGather, .rules = clip}, {data({8, 4}), indices({16})}),
      with_views("run_gather_16_columns_of_transposed", {.op = kGather}, {transposed, indices({16})}),
      with_views("run_gather_64_of_5_clip_outside", {.op = kGather, .rules = clip}, {data({5}), indices({64})}),
      with_views("run_scatter_nd_add_16_drop_outside", {.op = kScatterND, .reduction = kAdd, .rules = drop},
                 {data({5}), indices({16, 1}), updates({16})}),
      with_views("run_scatter_elements_mean_16", {.op = kScatterElements, .reduction = kMean},
                 {data({8, 4}), indices({4, 4}), updates({4, 4})}),
      with_views("run_scatter_nd_max_without_self_16",
                 {.op = kScatterND, .reduction = kMax, .include_self = false}, updates_of_16),
      small_call("gather_into_1", run_gather_into, {.op = kGather}, {data({8}), indices({1})}),
      small_call("scatter_nd_into_16", run_scatter_nd_into, {.op = kScatterND}, updates_of_16),
  };
}

}  // namespace
}  // namespace strew

int main() {
  // A fixed machine and instruction set: the counts are the same on every computer.
  const strew::ScopedMachine usual({});
#if HWY_ARCH_X86
  const strew::support::ForcedInstructionSet avx2(HWY_AVX2);
#endif
  for (const strew::SmallCall& call : strew::small_calls()) {
    for (int i = 0; i < 3; ++i) {
      if (!call.run(call)) return std::fprintf(stderr, "%s fails\n", call.name), 1;
    }
    std::puts(call.name);
    measured_call(&call);
  }
  return 0;
}
