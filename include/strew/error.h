// Errors as values: what every call of the library returns when it refuses.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

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
};

/// "invalid argument", "index out of range", ...
std::string_view error_code_name(ErrorCode code) noexcept;

/// A refusal. `message` starts with the operator or file and names what, where, and what would be right.
struct Error {
  ErrorCode code;
  std::string message;
};

/// A value or the reason why there is none.
template <class T>
using Result = tl::expected<T, Error>;

/// Success or the reason for failure.
using Status = Result<void>;

}  // namespace strew
