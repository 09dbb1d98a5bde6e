// Names of error codes, construction of errors, escaping of text for messages, and suggestions for misspelled
// names.
#include "core/error.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace strew {
namespace {

constexpr std::array<std::string_view, 8> kErrorCodeNames = {
    "invalid argument", "invalid type",       "index out of range", "invalid model",
    "unsupported",      "input/output error", "out of memory",      "device error"};

// Maximum length of a name for which there are suggestions. All known names are shorter.
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

Error make_error(ErrorCode code, const About& about, std::string text) {
  Error error(code, std::move(text));
  ErrorDetails& details = error.details();
  details.subject = {std::string(about.op), std::string(about.operand), {}};
  if (about.axis >= 0) details.subject.axis = about.axis;
  if (about.position != nullptr) details.position = *about.position;
  std::visit(
      [&details]<class T>(const T& value) {
        if constexpr (std::is_same_v<T, std::string_view>) {
          details.value = std::string(value);
        } else {
          details.value = value;
        }
      },
      about.value);
  details.where = one_line(about.where);
  return error;
}

}  // namespace

std::string_view error_code_name(ErrorCode code) noexcept {
  const auto number = static_cast<std::size_t>(code);
  return number < kErrorCodeNames.size() ? kErrorCodeNames[number] : "unknown error";
}

std::optional<ErrorCode> error_code_from_name(std::string_view name) noexcept {
  const auto found = std::ranges::find(kErrorCodeNames, name);
  if (found == kErrorCodeNames.end()) return std::nullopt;
  return static_cast<ErrorCode>(found - kErrorCodeNames.begin());
}

Error::Error() noexcept = default;
Error::Error(ErrorCode why, std::string words) noexcept : code(why), text(std::move(words)) {}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

const ErrorDetails& Error::details_or_none() const noexcept {
  static const ErrorDetails none;
  return details_ == nullptr ? none : *details_;
}

ErrorDetails& Error::details() {
  if (details_.use_count() != 1) details_ = std::make_shared<ErrorDetails>(details_or_none());
  return *details_;
}

std::string Error::message() const {
  const std::string& front = where().empty() ? subject().op : where();
  return front.empty() ? text : front + ": " + text;
}

void detail::no_value(const Error& error) noexcept {
  std::fprintf(stderr, "strew: a result without a value was used: %s\n", error.message().c_str());
  std::abort();
}

Error found_in(std::string_view where, Error error) {
  std::string& found = error.details().where;
  found = std::string(where) + (found.empty() ? "" : ": ") + found;
  return error;
}

std::string value_text(const ValueView& value) {
  return std::visit(
      []<class T>(const T& one) {
        if constexpr (std::is_same_v<T, std::monostate>)
          return std::string();
        else
          return concat(one);
      },
      value);
}

std::string concat_parts(std::initializer_list<TextPart> parts) {
  std::string text;
  for (const TextPart& part : parts) part.append_to(text);
  return text;
}

tl::unexpected<Error> fail_parts(ErrorCode code, const About& about, std::initializer_list<TextPart> text) {
  try {
    return tl::unexpected<Error>(make_error(code, about, concat_parts(text)));
  } catch (const std::bad_alloc&) {
    return tl::unexpected<Error>(Error{ErrorCode::kOutOfMemory, "out of memory"});
  }
}

std::string_view verb_of(std::string_view operand, std::string_view verb) noexcept {
  const bool plural = operand.ends_with("indices") || operand.ends_with("updates") || operand.ends_with("values");
  if (!plural) return verb;
  if (verb == "is") return "are";
  if (verb == "was") return "were";
  return verb == "has" ? "have" : verb.substr(0, verb.size() - 1);  // "holds", "requires"
}

std::string one_line(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  std::size_t shown = cut ? most : text.size();
  while (cut && shown > 0 && (text[shown] & '\xC0') == '\x80') --shown;  // does not cut inside a UTF-8 character
  std::string line(text.substr(0, shown));
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == '\x7F'; }, ' ');
  if (cut) line += concat("\u2026 (", text.size(), " bytes)");
  return line;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> names) {
  const std::string_view found = name.size() > kLongestName ? std::string_view() : nearest(name, names);
  return found.empty() ? std::string() : concat("; did you mean '", found, "'?");
}

}  // namespace strew
