// What every call from Python shares: refusals become exceptions, and the lock is released while working.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "numpy_api.h"
#include "strew/error.h"
#include "strew/plan.h"

namespace strew::python {

/// Raises the Python exception for this code: IndexError, TypeError, ValueError, NotImplementedError, OSError or
/// MemoryError.
[[noreturn]] void raise(ErrorCode code, const std::string& message);

template <class T>
T unwrap(Result<T>&& result) {
  if (!result) raise(result.error().code, result.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Calls `work` without the interpreter's lock where it is worth the while: other threads go on, and a Ctrl-C that
/// comes meanwhile is raised afterwards by the interpreter.
template <class Work>
auto without_lock(bool release, Work&& work) {
  if (!release) return work();
  const nb::gil_scoped_release released;
  return work();
}

/// True for calls that take longer than taking the lock back.
inline bool is_long(std::int64_t elements) noexcept { return elements > 2048; }

}  // namespace strew::python
