// Random operands of a measured call, with index values in a pattern.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor.h"

namespace strew::app {

/// An xorshift* generator: the same random numbers on every machine, fast enough to fill gigabytes.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  /// Returns a number in [0, bound).
  std::int64_t below(std::int64_t bound) noexcept {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_;
};

enum class IndexPattern : std::uint8_t { kUniform, kSorted, kRuns, kSkewed, kEqual, kPermutation };

/// Names of patterns, in the order of IndexPattern.
inline constexpr std::array<std::string_view, 6> kIndexPatterns = {"uniform", "sorted", "runs",
                                                                   "skewed",  "equal",  "permutation"};

std::optional<IndexPattern> index_pattern_from_name(std::string_view name) noexcept;

/// Returns `count` numbers in [0, bound); bound is at least 1. A run has 16 equal numbers; skewed is a power law
/// with exponent 1.05; a permutation repeats if `count` exceeds `bound`.
std::vector<std::int64_t> make_pattern(IndexPattern pattern, std::int64_t count, std::int64_t bound,
                                       Random& random);

/// Generated operands, and the plan for them.
struct BenchOperands {
  Plan plan;
  Tensor data;
  std::optional<Tensor> indices = std::nullopt;
  std::optional<Tensor> updates = std::nullopt;

  Operands views() const;
};

/// Parses "float32[1024,64]" as a type and a shape.
Result<TensorSpec> parse_spec(const std::string& text, const std::string& option);

/// Makes the operands for these options. The same options always give the same values.
Result<BenchOperands> make_bench_operands(const BenchOptions& options);

}  // namespace strew::app
