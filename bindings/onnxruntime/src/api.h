// ONNX Runtime's C interface, with its statuses turned into exceptions inside this library and back at its border.
#pragma once

#include <onnxruntime_c_api.h>

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace strew::ort {

/// The interface version that is asked for and declared: the first that registers kernels. A newer ONNX Runtime
/// keeps it.
inline constexpr std::uint32_t kApiVersion = 24;

/// The name by which ONNX Runtime knows the execution provider.
inline constexpr const char* kEpName = "StrewExecutionProvider";

/// The two tables of functions, handed in by the ONNX Runtime that loaded this library.
struct Api {
  const OrtApi& ort;
  const OrtEpApi& ep;
};

/// A refusal by this library, on its way to the border.
struct Refusal {
  OrtErrorCode code;
  std::string message;
};

/// A status made by ONNX Runtime, on its way back to it.
struct FailedStatus {
  OrtStatus* status;
};

inline void check(OrtStatus* status) {
  if (status != nullptr) throw FailedStatus{status};
}

/// Runs the body of a function that ONNX Runtime calls; no exception passes.
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

/// Owns an object of ONNX Runtime by its release function.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

}  // namespace strew::ort
