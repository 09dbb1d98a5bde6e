// The example of the README: scatter rows into a table, and what a refusal looks like.
#include <strew/strew.h>

#include <iostream>
#include <vector>

int main() {
  std::vector<float> table(4 * 2, 1.0f);    // 4 rows of 2
  std::vector<std::int64_t> rows{3, 0, 3};  // row 3 twice
  std::vector<float> updates{1, 2, 10, 20, 100, 200};

  const strew::TensorView data(table, {4, 2}), indices(rows, {3, 1}), values(updates, {3, 2});
  const auto sum = strew::scatter_nd(data, indices, values, {strew::Reduction::kAdd});
  if (!sum) return std::cerr << sum.error().message << '\n', 1;
  for (const float x : sum->values<float>()) std::cout << x << ' ';  // 11 21 1 1 1 1 102 203
  std::cout << '\n';

  rows[1] = 7;
  std::cout << strew::scatter_nd(data, indices, values).error().message << '\n';
}
