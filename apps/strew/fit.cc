// Least squares with parameters of at least 0, by coordinate descent until nothing changes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "measure_machine.h"

namespace strew::app {
namespace {

constexpr double kWorthOfUsual = 0.01;
constexpr int kMostRounds = 20'000;
constexpr double kStill = 1e-9;

}  // namespace

double predicted(const Observation& observation, const std::vector<double>& numbers) {
  return std::inner_product(numbers.begin(), numbers.end(), observation.of_each.begin(), 0.0);
}

std::vector<double> fit(const std::vector<Observation>& observations, const std::vector<double>& usual) {
  const std::size_t count = usual.size();
  // Normal equations in units of the usual parameters: squares[i][j] * x[j] = wanted[i].
  std::vector<std::vector<double>> squares(count, std::vector<double>(count));
  std::vector<double> wanted(count, kWorthOfUsual);
  for (std::size_t i = 0; i < count; ++i) squares[i][i] = kWorthOfUsual;
  for (const Observation& seen : observations) {
    const auto share = [&](std::size_t i) { return seen.of_each[i] * usual[i] / seen.total; };
    for (std::size_t i = 0; i < count; ++i) {
      wanted[i] += share(i);
      for (std::size_t j = 0; j < count; ++j) squares[i][j] += share(i) * share(j);
    }
  }
  std::vector<double> numbers(count, 1);
  double moved = 1;
  for (int round = 0; round < kMostRounds && moved > kStill; ++round) {
    moved = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double others =
          std::inner_product(numbers.begin(), numbers.end(), squares[i].begin(), 0.0) - squares[i][i] * numbers[i];
      const double best = std::max(0.0, (wanted[i] - others) / squares[i][i]);
      moved = std::max(moved, std::abs(best - numbers[i]));
      numbers[i] = best;
    }
  }
  for (std::size_t i = 0; i < count; ++i) numbers[i] *= usual[i];
  return numbers;
}

}  // namespace strew::app
