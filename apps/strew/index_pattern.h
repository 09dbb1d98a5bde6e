// Random numbers, and index values in a pattern, for calls that are timed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace strew::app {

/// Produces one sequence on every machine, fast enough to fill gigabytes.
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

/// In the order of IndexPattern.
inline constexpr std::array<std::string_view, 6> kIndexPatterns = {"uniform", "sorted", "runs",
                                                                   "skewed",  "equal",  "permutation"};

std::optional<IndexPattern> index_pattern_from_name(std::string_view name) noexcept;

/// Returns `count` numbers in [0, bound); bound is at least 1. Runs have 16 values; skewed is a power law of
/// exponent 1.05; a permutation repeats if `count` exceeds `bound`.
std::vector<std::int64_t> make_pattern(IndexPattern pattern, std::int64_t count, std::int64_t bound,
                                       Random& random);

}  // namespace strew::app
