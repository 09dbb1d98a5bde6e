// Which name a caller may have meant.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "core/error.h"

namespace strew {
namespace {

// No name is longer; of a longer text nothing is compared.
constexpr std::size_t kLongestName = 64;

// What reductions and rules are called elsewhere.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kOtherWords = {{{"sum", "add"},
                                                                                        {"plus", "add"},
                                                                                        {"accumulate", "add"},
                                                                                        {"prod", "mul"},
                                                                                        {"product", "mul"},
                                                                                        {"multiply", "mul"},
                                                                                        {"amax", "max"},
                                                                                        {"maximum", "max"},
                                                                                        {"amin", "min"},
                                                                                        {"minimum", "min"},
                                                                                        {"set", "none"},
                                                                                        {"replace", "none"},
                                                                                        {"raise", "error"},
                                                                                        {"clamp", "clip"}}};

std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_' && c != '-') letters += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return letters;
}

// How many letters to change, add, leave out or swap with the next one lead from `a` to `b` (the restricted
// Damerau-Levenshtein distance), row by row of its table.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last.back();
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> names) {
  const std::string letters = letters_of(name);
  for (const auto& [other, ours] : kOtherWords) {
    if (letters == other && std::ranges::find(names, ours) != names.end()) return ours;
  }
  std::string_view found;
  std::size_t least = std::min(std::max<std::size_t>(letters.size() / 3, 1) + 1, letters.size());  // not all wrong
  for (const std::string_view candidate : names) {
    const std::size_t wrong = distance(letters, letters_of(candidate));
    if (wrong >= least) continue;
    least = wrong;
    found = candidate;
  }
  return found;
}

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string_view> names) {
  const std::string_view found = name.size() > kLongestName ? std::string_view() : nearest(name, names);
  return found.empty() ? std::string() : concat("; did you mean '", found, "'?");
}

}  // namespace strew
