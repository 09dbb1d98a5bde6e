// Index values in a pattern: what strew bench fills its indices with.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace strew::app {

enum class IndexPattern : std::uint8_t { kUniform, kSorted, kRuns, kSkewed, kEqual, kPermutation };

std::optional<IndexPattern> index_pattern_from_name(std::string_view name) noexcept;
/// "uniform, sorted, runs, ...".
std::string_view index_pattern_names() noexcept;

/// The same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() noexcept {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  /// In [0, bound).
  std::int64_t below(std::int64_t bound) noexcept {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_;
};

/// `count` numbers in [0, bound); bound is at least 1. Runs are of 16; skewed is a power law of exponent 1.05; a
/// permutation starts again where there are more numbers than places.
std::vector<std::int64_t> make_pattern(IndexPattern pattern, std::int64_t count, std::int64_t bound,
                                       Random& random);

}  // namespace strew::app
