// Suggests the name that a caller may have meant.
#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"

namespace strew {
namespace {

// Maximum length of a text for which there are suggestions. All names are shorter.
constexpr std::size_t kLongestName = 64;

// Names of parameters, reductions and rules in other libraries.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kOtherWords = {
    {{"dim", "axis"},      {"reduce", "reduction"}, {"mode", "out_of_bounds"},
     {"index", "indices"}, {"src", "updates"},      {"input", "data"},
     {"sum", "add"},       {"plus", "add"},         {"accumulate", "add"},
     {"prod", "mul"},      {"product", "mul"},      {"multiply", "mul"},
     {"amax", "max"},      {"maximum", "max"},      {"amin", "min"},
     {"minimum", "min"},   {"set", "none"},         {"replace", "none"},
     {"raise", "error"},   {"clamp", "clip"}}};

std::string normalize_name(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_' && c != '-') letters += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return letters;
}

// Returns how many letters of the longer name are outside the common prefix and suffix; 1 for two swapped letters.
std::size_t different_letters(std::string_view a, std::string_view b) {
  const auto begin =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  a.remove_prefix(begin);
  b.remove_prefix(begin);
  const auto end =
      static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
  a.remove_suffix(end);
  b.remove_suffix(end);
  const bool swapped = a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
  return swapped ? 1 : std::max(a.size(), b.size());
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> names) {
  const std::string letters = normalize_name(name);
  for (const auto& [other, ours] : kOtherWords) {
    if (letters == other && std::ranges::find(names, ours) != names.end()) return ours;
  }
  std::string_view found;
  std::size_t least = std::min(std::max<std::size_t>(letters.size() / 3, 1) + 1, letters.size());
  for (const std::string_view candidate : names) {
    const std::size_t wrong = different_letters(letters, normalize_name(candidate));
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
