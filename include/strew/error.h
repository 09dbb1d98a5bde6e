// Errors as values: what every call of the library returns when it refuses.
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

/// Why a call was refused. Few on purpose: the message says the rest.
enum class ErrorCode {
  kInvalidArgument,  ///< a shape, rank, attribute or overlap
  kInvalidType,      ///< an element type or index type
  kIndexOutOfRange,  ///< a value in `indices`
  kInvalidModel,     ///< a malformed or illegal ONNX model or tensor file
  kUnsupported,      ///< legal, but outside what this library does
  kIo,               ///< the operating system refused a file
  kOutOfMemory,
  kDevice,  ///< a CUDA device, or its driver, failed: the message has the call and what CUDA says
};

/// "invalid argument", "index out of range", ...; and back (nothing for any other text).
std::string_view error_code_name(ErrorCode code) noexcept;
std::optional<ErrorCode> error_code_from_name(std::string_view name) noexcept;

/// Text from a file or a caller as messages quote it: a space for each control character, which could end a line
/// or steer a terminal, and of more than `most` bytes the first `most` and how many there are.
std::string one_line(std::string_view text, std::size_t most = 1000);

/// The end of a message that refuses a name: "; did you mean 'Gather'?" for "gather", "GAHTER" or "Gathr" where
/// that is one of `names`: both begin and end alike, and what is between has at most a third of the letters (of
/// short names one). Letter case, '_' and '-' do not count. NumPy's and PyTorch's words for reductions ("sum",
/// "amax") are known too. Empty where no name is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> names);

/// A verb, such as "is" or "lies", as messages say it of this operand: indices, updates and values "are" and
/// "lie".
std::string_view verb_of(std::string_view operand, std::string_view verb) noexcept;

/// What an error is about, as far as it is about one.
struct Subject {
  std::string op;       ///< the operator or function: "scatter_nd", "gather_scatter", "Edges.sort"
  std::string operand;  ///< its argument: "updates", "axis"
  /// The axis of `operand` whose length is wrong; of kIndexOutOfRange, that of data on which the value chooses.
  std::optional<std::int64_t> axis;
};

/// A value that is refused: an index value, a parameter, or the word that was given for one.
using ErrorValue = std::variant<std::monostate, std::int64_t, std::uint64_t, std::string>;

/// What an error says beside its text.
struct ErrorDetails {
  Subject subject;
  /// Of kIndexOutOfRange: where the value stands, a coordinate for each axis of the index operand.
  std::optional<Shape> position;
  ErrorValue value;
  std::string where;  ///< the file, model, node or tensor in which it was found
};

/// A refusal. What its texts quote is as from one_line.
struct Error {
  ErrorCode code{};
  std::string text;  ///< names what and where, and what would be right

  const Subject& subject() const noexcept { return details_or_none().subject; }
  const std::optional<Shape>& position() const noexcept { return details_or_none().position; }
  const ErrorValue& value() const noexcept { return details_or_none().value; }
  const std::string& where() const noexcept { return details_or_none().where; }
  /// To be changed.
  ErrorDetails& details();

  /// `text` behind `where`, or else behind the operator:
  /// "scatter_nd: indices[1, 0] = 7 is outside [-4, 3] for axis 0 of data with shape [4, 2]".
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

  // Apart from the rest, so that a Status without an error is small.
  std::shared_ptr<ErrorDetails> details_;
};

template <class T>
class Result;

}  // namespace strew

/// What `value()` of a Result without a value throws; `what()` is the message of its error.
template <>
class tl::bad_expected_access<strew::Error> : public std::runtime_error {
 public:
  explicit bad_expected_access(strew::Error error)
      : std::runtime_error(error.message()), error_(std::move(error)) {}
  const strew::Error& error() const noexcept { return error_; }

 private:
  strew::Error error_;
};

// and_then and or_else take functions that return a Result.
template <class T>
struct tl::detail::is_expected_impl<strew::Result<T>> : std::true_type {};

namespace strew {
namespace detail {
/// Prints the message of the error and aborts.
[[noreturn]] void no_value(const Error& error) noexcept;
}  // namespace detail

/// A value or the reason why there is none. `*` and `->` of one without a value end the program with the message
/// of its error; all else is as in tl::expected.
template <class T>
class Result : public tl::expected<T, Error> {
  using Expected = tl::expected<T, Error>;

 public:
  using Expected::Expected;
  Result(Expected other) : Expected(std::move(other)) {}
  Result(const Result&) = default;
  Result(Result&&) = default;  // NOLINT(performance-noexcept-move-constructor): as of tl::expected
  // Expected's constructor from a value would fit better, where a T can be made of a Result: a bool can.
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

/// Success or the reason for failure.
using Status = Result<void>;

}  // namespace strew
STREW_API_END
