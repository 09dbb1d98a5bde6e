// Constructs errors and their messages, without a formatting library.
#pragma once

#include <charconv>
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strew/error.h"
#include "strew/export.h"
#include "strew/shape.h"

namespace strew {

inline void append_text(std::string& to, std::string_view text) { to += one_line(text); }
inline void append_text(std::string& to, const Error& error) { to += error.message(); }
inline void append_text(std::string& to, char c) { to += c; }
/// An operand's name and a singular verb. The verb becomes plural if the name is plural: "indices have".
struct Said {
  std::string_view operand;
  std::string_view verb;
};
inline void append_text(std::string& to, const Said& said) {
  append_text(to, said.operand);
  (to += ' ') += verb_of(said.operand, said.verb);
}
inline void append_text(std::string& to, const Shape& shape) { to += to_string(shape); }
template <std::integral T>
requires(!std::same_as<T, char> && !std::same_as<T, bool>) void append_text(std::string& to, T number) {
  char digits[24];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// A type-erased reference to a part of a message, so that functions that join parts are compiled only once.
class TextPart {
 public:
  explicit TextPart(const char* text) noexcept : value_(text), append_(&append_chars) {}
  template <class T>
  explicit TextPart(const T& value) noexcept : value_(&value), append_(&append_value<T>) {}
  void append_to(std::string& text) const { append_(text, value_); }

 private:
  static void append_chars(std::string& to, const void* text) { append_text(to, static_cast<const char*>(text)); }
  template <class T>
  static void append_value(std::string& to, const void* value) {
    append_text(to, *static_cast<const T*>(value));
  }

  const void* value_;
  void (*append_)(std::string& to, const void* value);
};

/// An ErrorValue that owns no memory.
using ValueView = std::variant<std::monostate, std::int64_t, std::uint64_t, std::string_view>;

/// The subject of an error; the names need to live only until the error is constructed.
struct About {
  std::string_view op = {};
  std::string_view operand = {};
  std::int64_t axis = -1;  ///< negative: none
  ValueView value = {};
  const Shape* position = nullptr;
  std::string_view where = {};  ///< not escaped; the error stores it escaped
};
STREW_API_BEGIN
std::string concat_parts(std::initializer_list<TextPart> parts);
tl::unexpected<Error> fail_parts(ErrorCode code, const About& about, std::initializer_list<TextPart> text);
/// Puts `where`, the escaped name of a file, model, node or tensor, in front of the error's own `where`.
Error found_in(std::string_view where, Error error);
STREW_API_END

/// Joins the texts of all arguments for a message. Escapes strings with one_line; appends the message of an Error.
template <class... Parts>
std::string concat(const Parts&... parts) {
  return concat_parts({TextPart(parts)...});
}

/// Returns an error, for functions that return a Result or Status. If there is no memory for it, the code is
/// kOutOfMemory.
template <class... Parts>
tl::unexpected<Error> fail(ErrorCode code, const About& about, const Parts&... text) {
  return fail_parts(code, about, {TextPart(text)...});
}
template <class... Parts>
tl::unexpected<Error> fail(ErrorCode code, const Parts&... text) {
  return fail(code, About{}, text...);
}

/// Adds an error to a list.
template <class... Parts>
void add_error(std::vector<Error>& errors, ErrorCode code, const About& about, const Parts&... text) {
  errors.push_back(fail(code, about, text...).value());
}
template <class... Parts>
void add_error(std::vector<Error>& errors, ErrorCode code, const Parts&... text) {
  errors.push_back({code, concat(text...)});
}

/// Joins the texts of the elements of a list; `text` returns the text of an element.
template <class List, class Text>
std::string join(const List& list, std::string_view separator, const Text& text) {
  std::string all;
  for (std::string_view before; const auto& element : list) {
    all += before;
    append_text(all, text(element));
    before = separator;
  }
  return all;
}
template <class List>
std::string join(const List& list, std::string_view separator) {
  return join(
      list, separator, [](const auto& element) -> const auto& { return element; });
}

/// Returns kIndexOutOfRange for the value at `position` in the index operand.
template <class... Parts>
tl::unexpected<Error> fail_at(const Shape& position, About about, const Parts&... text) {
  about.position = &position;
  return fail(ErrorCode::kIndexOutOfRange, about, text...);
}

/// "1 input", "2 inputs".
template <std::integral T>
std::string counted(T count, std::string_view noun) {
  return concat(count, ' ', noun, count == 1 ? "" : "s");
}

/// "1 to 3"; "1" if both ends are 1.
inline std::string range_text(std::int64_t first, std::int64_t last) {
  return first == last ? concat(first) : concat(first, " to ", last);
}

/// A rejected value as text: "-3"; "" if there is none.
std::string value_text(const ValueView& value);

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace strew

/// Returns from the function with the error of `expression` (a Status or Result) if it has one.
#define STREW_TRY(expression)                                \
  do {                                                       \
    if (auto strew_status = (expression); !strew_status) {   \
      return ::strew::fail(std::move(strew_status).error()); \
    }                                                        \
  } while (false)

/// Assigns the value of an expression (a Result) to `target`, or returns the expression's error from the function.
/// `target` may be a declaration: STREW_ASSIGN(const Shape shape, shape_of(call)). A target of type auto&& refers
/// to the value without moving it.
#define STREW_ASSIGN(target, ...) STREW_ASSIGN_BY(STREW_JOIN(strew_result_, __LINE__), target, (__VA_ARGS__))
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot be parenthesized
#define STREW_ASSIGN_BY(result, target, expression)                                  \
  auto&& result = expression;                                                        \
  if (!result) return ::strew::fail(std::forward<decltype(result)>(result).error()); \
  target = *std::forward<decltype(result)>(result)
// NOLINTEND(bugprone-macro-parentheses)
#define STREW_JOIN(a, b) STREW_JOIN_EXPANDED(a, b)
#define STREW_JOIN_EXPANDED(a, b) a##b
