// Errors as values: what every call of the library returns when it refuses.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

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

/// "invalid argument", "index out of range", ...
std::string_view error_code_name(ErrorCode code) noexcept;

/// Text from a file or a caller as messages quote it: a space for each control character, which could end a line
/// or steer a terminal, and of more than `most` bytes the first `most` and how many there are.
std::string one_line(std::string_view text, std::size_t most = 1000);

/// The end of a message that refuses a name: "; did you mean 'Gather'?" for "gather", "GAHTER" or "Gathr" where
/// that is one of `names`. Letter case, '_' and '-' do not count, and one letter in three (of short names one) may
/// be wrong, missing, too much or swapped with the next. NumPy's and PyTorch's words for reductions ("sum",
/// "amax") are known too. Empty where no name is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> names);

/// A refusal. `message` starts with the operator or file and names what, where, and what would be right; what it
/// quotes is as from one_line.
struct Error {
  ErrorCode code;
  std::string message;
  /// Of kIndexOutOfRange: where the value that is named stands, a coordinate for each axis of the index operand;
  /// otherwise null.
  std::shared_ptr<const Shape> position = nullptr;
};

/// A value or the reason why there is none.
template <class T>
using Result = tl::expected<T, Error>;

/// Success or the reason for failure.
using Status = Result<void>;

}  // namespace strew
STREW_API_END
