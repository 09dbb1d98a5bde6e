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
  bool (*make)();
};

}  // namespace
}  // namespace strew

// callgrind finds this function by its name.
extern "C" [[gnu::noinline]] bool measured_call(const strew::SmallCall* call) {
  const bool ok = call->make();
  asm volatile("" : : : "memory");  // prevents a tail call, which would leave the function before `make`
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

bool run_addresses(const Plan& plan) {
  Memory& all = memory();
  return run_dense(plan, {all.data.data(), all.indices.data(), plan.is_scatter() ? all.updates.data() : nullptr},
                   all.output.data(), serial())
      .has_value();
}

// Makes the views once, before the measurement, because they are not part of the call.
template <class Make>
bool prepared(const Make& make) {
  static const auto call = make();
  return call();
}

// Returns a function that calls `run` with this plan and these operands.
auto with_views(const Plan& plan, const Operands& operands) {
  return [plan, operands, result = output(plan.output_shape())] {
    return run(plan, operands, result, serial()).has_value();
  };
}

auto with_addresses(const Plan& plan) {
  return [plan] { return run_addresses(plan); };
}

const IndexRules kClip{OutOfBounds::kClip};
const IndexRules kDrop{OutOfBounds::kDrop, NegativeIndices::kOutOfBounds};

const SmallCall kCalls[] = {
    {"run_dense_gather_16_rows_of_4",
     [] { return prepared([] {
            return with_addresses(*make_gather_plan(data({8, 4}), indices({16})));
          }); }},
    {"run_gather_1_row_of_16",
     [] {
       return prepared([] {
         return with_views(*make_gather_plan(data({8, 16}), indices({1})), {data({8, 16}), indices({1})});
       });
     }},
    {"run_gather_elements_64",
     [] {
       return prepared([] {
         return with_views(*make_gather_elements_plan(data({8, 8}), indices({8, 8})),
                           {data({8, 8}), indices({8, 8})});
       });
     }},
    {"run_dense_gather_nd_16_pairs",
     [] { return prepared([] {
            return with_addresses(*make_gather_nd_plan(data({8, 8}), indices({16, 2})));
          }); }},
    {"run_scatter_elements_16",
     [] {
       return prepared([] {
         return with_views(*make_scatter_elements_plan(data({8, 4}), indices({4, 4}), updates({4, 4})),
                           {data({8, 4}), indices({4, 4}), updates({4, 4})});
       });
     }},
    {"run_dense_scatter_elements_add_64",
     [] {
       return prepared([] {
         return with_addresses(*make_scatter_elements_plan(data({8, 8}), indices({8, 8}), updates({8, 8}),
                                                           {.axis = 1, .reduction = Reduction::kAdd}));
       });
     }},
    {"run_scatter_nd_16",
     [] {
       return prepared([] {
         return with_views(*make_scatter_nd_plan(data({8}), indices({16, 1}), updates({16})),
                           {data({8}), indices({16, 1}), updates({16})});
       });
     }},
    {"run_dense_scatter_nd_add_1",
     [] {
       return prepared([] {
         return with_addresses(
             *make_scatter_nd_plan(data({8}), indices({1, 1}), updates({1}), {.reduction = Reduction::kAdd}));
       });
     }},
    {"run_tensor_scatter_2_of_4_steps",
     [] {
       return prepared([] {
         return with_views(
             *make_tensor_scatter_plan(data({2, 2, 16, 8}), updates({2, 2, 4, 8}), TensorSpec(indices({2}))),
             {data({2, 2, 16, 8}), indices({2}), updates({2, 2, 4, 8})});
       });
     }},
    {"run_gather_16_rows_of_every_other",
     [] {
       return prepared([] {
         const TensorView rows(memory().data.data(), DType::kFloat32, {8, 4}, Shape{8, 1});
         return with_views(*make_gather_plan(rows, indices({16})), {rows, indices({16})});
       });
     }},
    {"run_gather_16_rows_clip",
     [] {
       return prepared([] {
         return with_views(*make_gather_plan(data({8, 4}), indices({16}), {.rules = kClip}),
                           {data({8, 4}), indices({16})});
       });
     }},
    {"run_gather_16_columns_of_transposed",
     [] {
       return prepared([] {
         const TensorView columns(memory().data.data(), DType::kFloat32, {8, 8}, Shape{1, 8});
         return with_views(*make_gather_plan(columns, indices({16})), {columns, indices({16})});
       });
     }},
    {"run_gather_64_of_5_clip_outside",
     [] {
       return prepared([] {
         return with_views(*make_gather_plan(data({5}), indices({64}), {.rules = kClip}),
                           {data({5}), indices({64})});
       });
     }},
    {"run_scatter_nd_add_16_drop_outside",
     [] {
       return prepared([] {
         return with_views(*make_scatter_nd_plan(data({5}), indices({16, 1}), updates({16}),
                                                 {.reduction = Reduction::kAdd, .rules = kDrop}),
                           {data({5}), indices({16, 1}), updates({16})});
       });
     }},
    {"run_scatter_elements_mean_16",
     [] {
       return prepared([] {
         return with_views(*make_scatter_elements_plan(data({8, 4}), indices({4, 4}), updates({4, 4}),
                                                       {.reduction = Reduction::kMean}),
                           {data({8, 4}), indices({4, 4}), updates({4, 4})});
       });
     }},
    {"run_scatter_nd_max_without_self_16",
     [] {
       return prepared([] {
         return with_views(*make_scatter_nd_plan(data({8}), indices({16, 1}), updates({16}),
                                                 {.reduction = Reduction::kMax, .include_self = false}),
                           {data({8}), indices({16, 1}), updates({16})});
       });
     }},
    {"gather_into_1",
     [] {
       return prepared([] {
         return [of = data({8}), at = indices({1}), to = output({1})] {
           return gather_into(of, at, to, {}, serial()).has_value();
         };
       });
     }},
    {"scatter_nd_into_16",
     [] {
       return prepared([] {
         return [of = data({8}), at = indices({16, 1}), with = updates({16}), to = output({8})] {
           return scatter_nd_into(of, at, with, to, {}, serial()).has_value();
         };
       });
     }},
};

}  // namespace
}  // namespace strew

int main() {
  // A fixed machine and instruction set: the counts are the same on every computer.
  const strew::ScopedMachine usual({});
#if HWY_ARCH_X86
  const strew::support::ForcedInstructionSet avx2(HWY_AVX2);
#endif
  for (const strew::SmallCall& call : strew::kCalls) {
    for (int i = 0; i < 3; ++i) {
      if (!call.make()) return std::fprintf(stderr, "%s fails\n", call.name), 1;
    }
    std::puts(call.name);
    measured_call(&call);
  }
  return 0;
}
