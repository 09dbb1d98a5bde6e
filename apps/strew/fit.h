// Fits parameters to measurements.
#pragma once

#include <vector>

namespace strew::app {

/// A measurement, above 0, and the coefficient of each parameter in it.
struct Observation {
  std::vector<double> of_each;
  double total = 0;
};

/// Returns parameters of at least 0 that minimise the squared relative errors of the observations. `usual`, all
/// above 0, counts as an observation of each parameter with a weight of 1/100, so that a parameter without
/// observations keeps its usual value.
std::vector<double> fit(const std::vector<Observation>& observations, const std::vector<double>& usual);

/// Returns the value of an observation that the parameters predict.
double predicted(const Observation& observation, const std::vector<double>& numbers);

}  // namespace strew::app
