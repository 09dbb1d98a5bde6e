// Names of error codes.
#include "strew/error.h"

namespace strew {

std::string_view error_code_name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kInvalidType:
      return "invalid type";
    case ErrorCode::kIndexOutOfRange:
      return "index out of range";
    case ErrorCode::kInvalidModel:
      return "invalid model";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kIo:
      return "input/output error";
    case ErrorCode::kOutOfMemory:
      return "out of memory";
  }
  return "unknown error";
}

}  // namespace strew
