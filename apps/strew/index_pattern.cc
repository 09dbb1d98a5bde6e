#include <algorithm>
#include <bit>
#include <cmath>

#include "bench_operands.h"

namespace strew::app {
namespace {

constexpr std::int64_t kRunLength = 16;
constexpr double kExponent = 1.05;
constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u;

// Returns element i of a permutation of [0, bound). Permutes [0, 2^bits) until the result is below the bound.
std::int64_t permuted(std::int64_t i, std::int64_t bound) {
  const int bits = std::max(2, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bound - 1))));
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  auto x = static_cast<std::uint64_t>(i);
  do {
    for (int round = 0; round < 3; ++round) {
      x = (x * kOdd + 0x1234567u) & mask;
      x ^= x >> ((bits + 1) / 2);
    }
  } while (x >= static_cast<std::uint64_t>(bound));
  return static_cast<std::int64_t>(x);
}

// Inverts the distribution function; an odd multiplier spreads the ranks.
std::int64_t skewed(std::int64_t bound, Random& random) {
  const double power = 1 - kExponent;
  const double top = std::pow(static_cast<double>(bound), power) - 1;
  const double u = static_cast<double>(random.next() >> 11) * 0x1p-53;
  const auto rank = static_cast<std::uint64_t>(std::pow(1 + u * top, 1 / power)) - 1;
  return static_cast<std::int64_t>(rank * kOdd % static_cast<std::uint64_t>(bound));
}

}  // namespace

std::optional<IndexPattern> index_pattern_from_name(std::string_view name) noexcept {
  const auto found = std::ranges::find(kIndexPatterns, name);
  if (found == kIndexPatterns.end()) return std::nullopt;
  return static_cast<IndexPattern>(found - kIndexPatterns.begin());
}

std::vector<std::int64_t> make_pattern(IndexPattern pattern, std::int64_t count, std::int64_t bound,
                                       Random& random) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::int64_t i = 0;
  for (std::int64_t& value : values) {
    value = pattern == IndexPattern::kEqual                         ? bound / 2
            : pattern == IndexPattern::kPermutation                 ? permuted(i % bound, bound)
            : pattern == IndexPattern::kSkewed                      ? skewed(bound, random)
            : pattern == IndexPattern::kRuns && i % kRunLength != 0 ? (&value)[-1]
                                                                    : random.below(bound);
    ++i;
  }
  if (pattern == IndexPattern::kSorted) std::sort(values.begin(), values.end());
  return values;
}

}  // namespace strew::app
