// The oracle of fused gather-scatter: one edge after the other, in the order in which they were given, one element
// after the other, each step rounded to the type.
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
  std::vector<std::int64_t> sources;  ///< -1: the edge is left out
  std::vector<std::int64_t> targets;
  std::int64_t target_size = 0;
  std::int64_t row = 0;
  std::vector<T> data;
  std::vector<T> weight;  ///< one for each edge and column; empty: none
  std::vector<T> addend;
  std::vector<T> base;
  GatherScatterParams params;
};

template <class T>
struct EdgeResult {
  std::vector<T> output;
  std::vector<std::int64_t> winners;
};

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
        Wide message = wide(problem.data[problem.sources[e] * problem.row + j]);
        if (!problem.weight.empty()) message = rounded(message * wide(problem.weight[e * problem.row + j]));
        if (!problem.addend.empty()) message = rounded(message + wide(problem.addend[e * problem.row + j]));
        if (params.relu && message <= 0) message = 0;
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

}  // namespace strew::reference
