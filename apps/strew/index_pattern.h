// Index values for strew bench, in a pattern.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "random.h"

namespace strew::app {

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
