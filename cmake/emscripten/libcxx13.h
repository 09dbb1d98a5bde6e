// C++20 features that Strew uses and the libc++ of Debian 12's emscripten lacks. Included before every file of the
// module.
#pragma once

#ifdef __cplusplus
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <ranges>
#include <string>
#include <type_traits>

_LIBCPP_BEGIN_NAMESPACE_STD

template <class To, class From>
requires(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>) constexpr To
    bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

// The only locale has the decimal point ".". Unlike strtod, this function rejects blanks, "+" and "0x".
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string text(first, last);
  const string_view digits = string_view(text).substr(text.starts_with('-'));
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool none = end == text.c_str() || digits.starts_with('+') || digits.starts_with(' ') ||
                    digits.starts_with("0x") || digits.starts_with("0X");
  if (none) return {first, errc::invalid_argument};
  value = number;
  return {first + (end - text.c_str()), errc()};
}

namespace ranges {

template <class Range, class T, class Projection = identity>
constexpr auto find(Range&& range, const T& value, Projection projection = {}) {
  return std::find_if(begin(range), end(range), [&](auto&& x) { return invoke(projection, x) == value; });
}
template <class Range, class Predicate, class Projection = identity>
constexpr auto find_if(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::find_if(begin(range), end(range),
                      [&](auto&& x) { return invoke(predicate, invoke(projection, x)); });
}
template <class Range, class Predicate, class Projection = identity>
constexpr bool any_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return ranges::find_if(range, predicate, projection) != end(range);
}
template <class Range, class Predicate, class Projection = identity>
constexpr bool none_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return !ranges::any_of(range, predicate, projection);
}
template <class Range, class Predicate, class Projection = identity>
constexpr bool all_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::all_of(begin(range), end(range), [&](auto&& x) { return invoke(predicate, invoke(projection, x)); });
}
template <class Range, class T, class Projection = identity>
constexpr auto count(Range&& range, const T& value, Projection projection = {}) {
  return std::count_if(begin(range), end(range), [&](auto&& x) { return invoke(projection, x) == value; });
}
template <class Range, class Other>
constexpr bool equal(Range&& range, Other&& other) {
  return std::equal(begin(range), end(range), begin(other), end(other));
}
template <class Range, class Iterator>
constexpr auto copy(Range&& range, Iterator to) {
  return std::copy(begin(range), end(range), to);
}
template <class Range, class T>
constexpr void fill(Range&& range, const T& value) {
  std::fill(begin(range), end(range), value);
}
template <class Range>
constexpr auto max(Range&& range) {
  return *std::max_element(begin(range), end(range));
}
template <class Range, class T, class Compare = ranges::less, class Projection = identity>
constexpr auto lower_bound(Range&& range, const T& value, Compare compare = {}, Projection projection = {}) {
  return std::lower_bound(begin(range), end(range), value,
                          [&](auto&& x, const T& y) { return invoke(compare, invoke(projection, x), y); });
}

}  // namespace ranges

_LIBCPP_END_NAMESPACE_STD
#endif
