// Converts Strew's errors to exceptions of this library.
#include "api.h"

namespace strew::ort {
namespace {

OrtErrorCode status_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kInvalidType:
    case ErrorCode::kIndexOutOfRange:
      return ORT_INVALID_ARGUMENT;
    case ErrorCode::kUnsupported:
      return ORT_NOT_IMPLEMENTED;
    default:
      return ORT_FAIL;
  }
}

}  // namespace

void refuse(const Error& error) { throw Refusal{status_code(error.code), error.message()}; }

}  // namespace strew::ort
