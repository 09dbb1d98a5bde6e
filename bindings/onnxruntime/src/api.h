// ONNX Runtime's C interface. Inside this library its statuses are exceptions; `guarded` converts them back.
#pragma once

#include <onnxruntime_c_api.h>

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "strew/error.h"

namespace strew::ort {

/// The requested interface version, the first in which plug-ins can have kernels. Newer ONNX Runtimes support it.
inline constexpr std::uint32_t kApiVersion = 24;

inline constexpr const char* kEpName = "StrewExecutionProvider";

/// The two function tables of the ONNX Runtime that loaded this library.
struct Api {
  const OrtApi& ort;
  const OrtEpApi& ep;
};

/// An error of this library, which `guarded` converts to a status.
struct Refusal {
  OrtErrorCode code;
  std::string message;
};

/// A failed status of ONNX Runtime, which `guarded` returns.
struct FailedStatus {
  OrtStatus* status;
};

inline void check(OrtStatus* status) {
  if (status != nullptr) throw FailedStatus{status};
}

/// Returns the value that a function of ONNX Runtime writes through its last argument.
template <class Value, class Function, class... Arguments>
Value fetch(Function function, Arguments... arguments) {
  Value value{};
  check(function(arguments..., &value));
  return value;
}

/// Runs the body of a function that ONNX Runtime calls; converts exceptions to statuses.
template <class Body>
OrtStatus* guarded(const Api& api, Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return nullptr;
  } catch (const FailedStatus& failed) {
    return failed.status;
  } catch (const Refusal& refusal) {
    return api.ort.CreateStatus(refusal.code, refusal.message.c_str());
  } catch (const std::bad_alloc&) {
    return api.ort.CreateStatus(ORT_FAIL, "strew: out of memory");
  } catch (const std::exception& error) {
    return api.ort.CreateStatus(ORT_FAIL, error.what());
  }
}

template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

inline OrtErrorCode status_code(ErrorCode code) {
  const bool is_argument = code == ErrorCode::kInvalidArgument || code == ErrorCode::kInvalidType;
  if (is_argument || code == ErrorCode::kIndexOutOfRange) return ORT_INVALID_ARGUMENT;
  return code == ErrorCode::kUnsupported ? ORT_NOT_IMPLEMENTED : ORT_FAIL;
}

[[noreturn]] inline void refuse(const Error& error) { throw Refusal{status_code(error.code), error.message()}; }

template <class T>
T unwrap(Result<T> result) {
  if (!result) refuse(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace strew::ort
