// Numbers that explain measurements best.
#pragma once

#include <vector>

namespace strew::app {

/// A measurement: so much of each number, and what was measured of all together, above 0.
struct Observation {
  std::vector<double> of_each;
  double total = 0;
};

/// Numbers of at least 0 whose sums differ least from what was measured, as shares of that: least squares.
/// `usual`, all above 0, counts as one measurement of each number that is worth a hundredth of another, so that
/// one that nothing tells of stays as it is.
std::vector<double> fit(const std::vector<Observation>& observations, const std::vector<double>& usual);

/// What the numbers say that an observation took.
double predicted(const Observation& observation, const std::vector<double>& numbers);

}  // namespace strew::app
