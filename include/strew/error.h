// Errors as values: a call that fails returns an Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>
#include <variant>

#include "strew/export.h"
#include "strew/shape.h"

STREW_API_BEGIN
namespace strew {

/// Why a call was rejected. The message has the details.
enum class ErrorCode {
  kInvalidArgument,  ///< a shape, rank, attribute or overlap
  kInvalidType,      ///< an element type or index type
  kIndexOutOfRange,  ///< a value in `indices`
  kInvalidModel,     ///< a malformed or illegal ONNX model or tensor file
  kUnsupported,      ///< legal, but not supported by this library
  kIo,               ///< the operating system failed to read or write a file
  kOutOfMemory,
  kDevice,  ///< a CUDA device or its driver failed: the message names the CUDA call and CUDA's error
};

/// "invalid argument", "index out of range", ...; the inverse returns nullopt for any other text.
std::string_view error_code_name(ErrorCode code) noexcept;
std::optional<ErrorCode> error_code_from_name(std::string_view name) noexcept;

/// Escapes text from a file or a caller for messages: replaces each control character, which could end a line or
/// control a terminal, with a space. Cuts text after `most` bytes and appends the full length.
std::string one_line(std::string_view text, std::size_t most = 1000);

/// Returns the end of a message about an unknown name, such as "; did you mean 'Gather'?" for "GAHTER" or "Gathr";
/// "" if none of `names` is similar. Similar names differ in one letter, two swapped letters, or one run of at
/// most a third of the letters. Case, '_' and '-' are ignored. Also knows names from other libraries ("sum").
std::string did_you_mean(std::string_view name, std::span<const std::string_view> names);

/// Returns `verb` ("is", "has"), or its plural ("are", "have") if the operand is indices, updates or values.
std::string_view verb_of(std::string_view operand, std::string_view verb) noexcept;

/// The function, argument and axis that an error is about; members that do not apply are empty.
struct Subject {
  std::string op;       ///< the operator or function: "scatter_nd", "gather_scatter", "Edges.sort"
  std::string operand;  ///< its argument: "updates", "axis"
  /// The axis of `operand` whose length is wrong; for kIndexOutOfRange, the axis of data that the value indexes.
  std::optional<std::int64_t> axis;
};

/// A rejected value: an index value, or a parameter as a number or a name.
using ErrorValue = std::variant<std::monostate, std::int64_t, std::uint64_t, std::string>;

/// Fields of an error besides its text.
struct ErrorDetails {
  Subject subject;
  /// For kIndexOutOfRange: the position of the value in the index operand, one coordinate per axis.
  std::optional<Shape> position;
  ErrorValue value;
  std::string where;  ///< the file, model, node or tensor that caused the error
};

/// An error. Messages escape a caller's text with one_line().
struct Error {
  ErrorCode code{};
  std::string text;  ///< the message without `where` and operator: argument, position, value and legal values

  const Subject& subject() const noexcept { return details_or_none().subject; }
  const std::optional<Shape>& position() const noexcept { return details_or_none().position; }
  const ErrorValue& value() const noexcept { return details_or_none().value; }
  const std::string& where() const noexcept { return details_or_none().where; }
  /// Mutable access.
  ErrorDetails& details();

  /// `text` after `where`, or after the operator if `where` is empty: "scatter_nd: indices[1, 0] = 7 is outside
  /// [-4, 3] for axis 0 of data with shape [4, 2]".
  std::string message() const;

  Error() noexcept;
  Error(ErrorCode why, std::string words) noexcept;
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

 private:
  const ErrorDetails& details_or_none() const noexcept;

  // On the heap, so that a Status without an error is small.
  std::shared_ptr<ErrorDetails> details_;
};

template <class T>
class Result;

}  // namespace strew

namespace tl {

/// The exception that `value()` throws if a Result has no value; `what()` is the message of its error.
template <>
class bad_expected_access<strew::Error> : public std::runtime_error {
 public:
  explicit bad_expected_access(strew::Error error)
      : std::runtime_error(error.message()), error_(std::move(error)) {}
  const strew::Error& error() const noexcept { return error_; }

 private:
  strew::Error error_;
};

namespace detail {

// Lets and_then and or_else accept functions that return a Result.
template <class T>
struct is_expected_impl<strew::Result<T>> : std::true_type {};

}  // namespace detail
}  // namespace tl

namespace strew {
namespace detail {
/// Prints the message of the error and aborts.
[[noreturn]] void no_value(const Error& error) noexcept;
}  // namespace detail

/// A value or an error. Without a value, `*` and `->` print the error and abort; everything else is as in
/// tl::expected.
template <class T>
class Result : public tl::expected<T, Error> {
  using Expected = tl::expected<T, Error>;

 public:
  using Expected::Expected;
  Result(Expected other) : Expected(std::move(other)) {}
  Result(const Result&) = default;
  Result(Result&&) = default;  // NOLINT(performance-noexcept-move-constructor): as in tl::expected
  // Without this, a T constructible from a Result, such as bool, would be constructed from the Result itself.
  Result(Result& other) : Result(std::as_const(other)) {}
  Result& operator=(const Result&) = default;
  Result& operator=(Result&&) = default;  // NOLINT(performance-noexcept-move-constructor)

  const T* operator->() const { return &**this; }
  T* operator->() { return &**this; }
  const T& operator*() const& { return checked().Expected::operator*(); }
  T& operator*() & { return checked().Expected::operator*(); }
  T&& operator*() && { return std::move(checked().Expected::operator*()); }

 private:
  const Result& checked() const {
    if (!this->has_value()) detail::no_value(this->error());
    return *this;
  }
  Result& checked() { return const_cast<Result&>(std::as_const(*this).checked()); }
};

template <>
class Result<void> : public tl::expected<void, Error> {
 public:
  using tl::expected<void, Error>::expected;
};

/// Success or an error.
using Status = Result<void>;

}  // namespace strew
STREW_API_END
