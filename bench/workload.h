// Workload: operands at full size, the call that is timed, and the plain checked loop beside it.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "strew/strew.h"

namespace strew::bench {

/// The same numbers on every machine, fast enough to fill gigabytes.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  /// In [0, bound), bound below 2^32.
  std::int64_t below(std::int64_t bound) noexcept {
    return static_cast<std::int64_t>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }

 private:
  std::uint64_t state_;
};

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
