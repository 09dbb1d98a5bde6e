// Workload: operands at full size, the call that is timed, and the plain checked loop beside it.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "random.h"
#include "strew/strew.h"

namespace strew::bench {

using app::Random;

/// Elements that are never zero: zero-filled memory looks twice as fast as it is.
Tensor random_data(DType dtype, const Shape& shape, std::uint64_t seed);

/// Uniform in [0, bound).
Tensor uniform(const Shape& shape, std::int64_t bound, std::uint64_t seed, DType dtype = DType::kInt64);
/// No value twice.
Tensor unique(std::int64_t count, std::int64_t bound, std::uint64_t seed);
/// A power law with this exponent over [0, bound), its ranks permuted.
Tensor zipf(std::int64_t count, std::int64_t bound, double exponent, std::uint64_t seed);

struct Workload {
  Plan plan;
  Tensor data;
  Tensor indices;
  std::optional<Tensor> updates;
  /// Does the same with a check, on one thread.
  std::function<bool(const Workload&, void* output)> plain;
  /// Strides of the view of `indices`, where they are not dense; its shape is then that of the positions.
  std::optional<Shape> index_strides = std::nullopt;

  Operands operands() const;
};

/// A name and how to make it; memory is taken only while it is measured.
struct Named {
  std::string name;
  std::function<Workload()> make;
};
std::vector<Named> gather_workloads();
std::vector<Named> scatter_workloads();

/// Registers the kernels alone with Google Benchmark.
void register_kernels();

/// Registers the calls of microseconds and less with Google Benchmark.
void register_small_calls();

}  // namespace strew::bench
