// The oracle of fused gather-scatter: loops over the edges in their given order. Each step is rounded.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/half_math.h"
#include "strew/gather_scatter.h"

namespace strew::reference {

inline float wide(float value) { return value; }
inline double wide(double value) { return value; }
inline float wide(Float16 value) { return widen(value); }
inline float wide(BFloat16 value) { return widen(value); }
inline float round_to(float value, float) { return value; }
inline double round_to(double value, double) { return value; }
inline Float16 round_to(float value, Float16) { return {float16_from_float(value)}; }
inline BFloat16 round_to(float value, BFloat16) { return {bfloat16_from_float(value)}; }

template <class T>
struct EdgeProblem {
  std::vector<std::int64_t> sources;  ///< rows of data; -1: the edge is dropped
  std::vector<std::int64_t> targets;
  std::int64_t target_size = 0;
  std::int64_t row = 0;
  std::vector<T> data;
  std::vector<T> weight;  ///< a weight for each edge and column; empty: no weights
  std::vector<T> addend;
  std::vector<T> base;
  GatherScatterParams params;
};

template <class T>
struct EdgeResult {
  std::vector<T> output;
  std::vector<std::int64_t> winners;
};

/// Returns the message of edge e in column j.
template <class T>
auto message_of(const EdgeProblem<T>& problem, std::int64_t e, std::int64_t j) {
  using Wide = decltype(wide(T{}));
  const auto rounded = [](Wide value) { return wide(round_to(value, T{})); };
  Wide message = wide(problem.data[problem.sources[e] * problem.row + j]);
  if (!problem.weight.empty()) message = rounded(message * wide(problem.weight[e * problem.row + j]));
  if (!problem.addend.empty()) message = rounded(message + wide(problem.addend[e * problem.row + j]));
  if (problem.params.relu && message < 0) message = 0;
  return message;
}

template <class T>
EdgeResult<T> gather_scatter(const EdgeProblem<T>& problem) {
  using Wide = decltype(wide(T{}));
  const GatherScatterParams& params = problem.params;
  const auto edges = static_cast<std::int64_t>(problem.sources.size());
  const auto rounded = [](Wide value) { return wide(round_to(value, T{})); };
  const auto step = [&](Wide value) { return params.acc_dtype == AccDType::kData ? rounded(value) : value; };
  EdgeResult<T> result;
  for (std::int64_t t = 0; t < problem.target_size; ++t) {
    for (std::int64_t j = 0; j < problem.row; ++j) {
      std::optional<Wide> value;
      std::int64_t winner = edges;
      std::int64_t terms = 0;
      if (!problem.base.empty()) {
        value = wide(problem.base[static_cast<std::size_t>(t * problem.row + j)]);
        terms = 1;
      }
      const bool extremum = params.reduction == Reduction::kMax || params.reduction == Reduction::kMin;
      std::int64_t reached = 0;
      for (std::int64_t e = 0; e < edges; ++e) {
        if (problem.sources[e] < 0 || problem.targets[e] != t) continue;
        ++reached;
        ++terms;
        const Wide message = message_of(problem, e, j);
        if (!value && extremum) {
          value = message;
          winner = e;
          continue;
        }
        if (!value) value = params.reduction == Reduction::kMul ? Wide{1} : Wide{0};
        if (!extremum) {
          value = step(params.reduction == Reduction::kMul ? *value * message : *value + message);
          continue;
        }
        const bool maximum = params.reduction == Reduction::kMax;
        const bool above =
            message > *value || (message == *value && std::signbit(*value) && !std::signbit(message));
        const bool below =
            message < *value || (message == *value && !std::signbit(*value) && std::signbit(message));
        const bool better = !std::isnan(*value) && (std::isnan(message) || (maximum ? above : below));
        if (!better) continue;
        value = message;
        winner = e;
      }
      if (!value) value = params.reduction == Reduction::kMul ? Wide{1} : Wide{0};
      if (params.reduction == Reduction::kMean && reached > 0) value = *value / static_cast<Wide>(terms);
      if (std::isnan(*value)) value = std::numeric_limits<Wide>::quiet_NaN();
      result.output.push_back(round_to(*value, T{}));
      result.winners.push_back(winner);
    }
  }
  return result;
}

/// Returns the gradient of the message of each edge and column.
template <class T>
std::vector<T> shares_of(const EdgeProblem<T>& problem, const EdgeResult<T>& result,
                         const std::vector<T>& gradient, Ties ties) {
  using Wide = decltype(wide(T{}));
  const Reduction reduction = problem.params.reduction;
  const bool extremum = reduction == Reduction::kMax || reduction == Reduction::kMin;
  const auto edges = static_cast<std::int64_t>(problem.sources.size());
  const auto at = [&](std::int64_t e, std::int64_t j) {
    return static_cast<std::size_t>(problem.targets[e] * problem.row + j);
  };
  const auto equal = [&](std::int64_t e, std::int64_t j) {
    const Wide message = message_of(problem, e, j);
    const Wide best = wide(result.output[at(e, j)]);
    return message == best || (std::isnan(message) && std::isnan(best));
  };
  std::vector<std::int64_t> terms(result.output.size(), 0);
  for (std::int64_t e = 0; e < edges; ++e) {
    for (std::int64_t j = 0; j < problem.row; ++j) terms[at(e, j)] += !extremum || equal(e, j);
  }
  std::vector<T> shares;
  for (std::int64_t e = 0; e < edges; ++e) {
    for (std::int64_t j = 0; j < problem.row; ++j) {
      const Wide whole = wide(gradient[at(e, j)]);
      const bool zero = ties == Ties::kShareWithZero && wide(result.output[at(e, j)]) == 0;
      Wide share = whole;
      if (extremum && ties == Ties::kFirst) {
        share = result.winners[at(e, j)] == e ? whole : 0;
      } else if (extremum) {
        share = equal(e, j) ? whole / static_cast<Wide>(terms[at(e, j)] + zero) : 0;
      } else if (reduction == Reduction::kMean) {
        share = whole / static_cast<Wide>(terms[at(e, j)]);
      }
      if (problem.params.relu && message_of(problem, e, j) <= 0) share = 0;
      shares.push_back(round_to(share, T{}));
    }
  }
  return shares;
}

/// Returns the gradient of data: a left fold of `shares` over the edges of each row.
template <class T>
std::vector<T> data_gradient(const EdgeProblem<T>& problem, const std::vector<T>& shares) {
  using Wide = decltype(wide(T{}));
  const bool each = problem.params.acc_dtype == AccDType::kData;
  std::vector<Wide> sums(problem.data.size(), 0);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::size_t row = static_cast<std::size_t>(problem.row);
    Wide share = wide(shares[i]);
    if (!problem.weight.empty()) share = wide(round_to(share * wide(problem.weight[i]), T{}));
    Wide& sum = sums[static_cast<std::size_t>(problem.sources[i / row]) * row + i % row];
    sum += share;
    if (each) sum = wide(round_to(sum, T{}));
  }
  std::vector<T> made;
  for (const Wide sum : sums) {
    made.push_back(round_to(std::isnan(sum) ? std::numeric_limits<Wide>::quiet_NaN() : sum, T{}));
  }
  return made;
}

/// Returns a sum of products for each row. Products are added in 16 lanes (8 for float64), then the halves of the
/// lanes are added until one remains. An empty `other` stands for ones.
template <class T>
std::vector<T> lane_sums(const std::vector<T>& one, const std::vector<T>& other, std::int64_t columns) {
  using Wide = decltype(wide(T{}));
  constexpr std::size_t kLanes = 64 / sizeof(Wide);
  std::vector<T> made;
  for (std::size_t begin = 0; begin < one.size(); begin += static_cast<std::size_t>(columns)) {
    std::vector<Wide> lanes(kLanes, 0);
    for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j) {
      lanes[j % kLanes] += wide(one[begin + j]) * (other.empty() ? Wide{1} : wide(other[begin + j]));
    }
    for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
      for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
    }
    made.push_back(round_to(std::isnan(lanes[0]) ? std::numeric_limits<Wide>::quiet_NaN() : lanes[0], T{}));
  }
  return made;
}

}  // namespace strew::reference
