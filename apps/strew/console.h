// Output of the program: errors, colour, JSON.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "report_json.h"
#include "strew/error.h"

namespace strew::app {

/// Exit codes of all commands.
inline constexpr int kSuccess = 0;
inline constexpr int kFault = 1;     ///< no memory, a full disk, an internal error, or a failed test
inline constexpr int kBadInput = 2;  ///< rejected arguments, files or models
inline constexpr int kUnknown = 3;   ///< check --strict: unknown shapes kept a node from being checked

/// Makes an error for a function that returns a Result or Status.
template <class... Args>
tl::unexpected<Error> fail(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(text, std::forward<Args>(args)...)});
}

/// Returns the error of another call.
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

/// Returns from the function if a Status is an error.
#define STREW_TRY(expression)                                                                          \
  do {                                                                                                 \
    if (auto strew_status = (expression); !strew_status) return fail(std::move(strew_status).error()); \
  } while (false)

/// STREW_ASSIGN(const auto& plan, make_plan(call)) declares the value of a Result, or returns its error.
#define STREW_ASSIGN(target, ...) STREW_ASSIGN_BY(STREW_JOIN(strew_result_, __LINE__), target, (__VA_ARGS__))
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot be in parentheses
#define STREW_ASSIGN_BY(result, target, expression)                         \
  auto&& result = expression;                                               \
  if (!result) return fail(std::forward<decltype(result)>(result).error()); \
  target = *std::forward<decltype(result)>(result)
// NOLINTEND(bugprone-macro-parentheses)
#define STREW_JOIN(a, b) STREW_JOIN_EXPANDED(a, b)
#define STREW_JOIN_EXPANDED(a, b) a##b

/// Returns the end of a message about an unknown name: "; choose from a, b, c" and the most similar name.
std::string choices_text(std::string_view name, std::span<const std::string_view> names);

/// Adds `where` in front of the error's location, unless the location already begins with it. Returns the error.
tl::unexpected<Error> fail_in(const std::string& where, Error error);

enum class Colour { kGreen, kRed };

/// Colours the text if `stream` is a terminal and the environment has neither NO_COLOR nor TERM=dumb.
std::string coloured(const std::string& text, Colour colour, std::FILE* stream);

/// Writes to standard error; ignores failures.
void say(const std::string& text) noexcept;

/// Prints one object as one line on standard output. Bytes that are not UTF-8 become U+FFFD.
void print_json(const Json& object);

/// Returns the exit code for an error of the library.
int exit_code_of(const Error& error) noexcept;

/// Prints the error as one line on standard error and, if `json`, as {"error": ...} on standard output. Returns
/// `exit_code`.
int report_error(const Error& error, bool json, int exit_code);
inline int report_error(const Error& error, bool json) { return report_error(error, json, exit_code_of(error)); }

/// Flushes standard output; fails if output could not be written.
Status finish_output();

/// Shows the progress towards `total` steps, if standard error is a terminal and there are many steps.
class Progress {
 public:
  explicit Progress(std::int64_t total);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Counts one more step. Redraws at most ten times a second, and after `clear`.
  void advance();
  /// Erases the bar, so that other text can be printed.
  void clear();

 private:
  std::int64_t total_;
  std::int64_t done_ = 0;
  bool enabled_;
  bool drawn_ = false;
  bool cleared_ = false;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace strew::app
