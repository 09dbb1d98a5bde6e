// What every call from Python shares: refusals become exceptions, and the lock is released while working.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "numpy_api.h"
#include "strew/error.h"
#include "strew/plan.h"

namespace strew::python {

/// Raises an exception with the error's message, whose attributes are those of strew.Refusal. Another exception
/// may be its cause.
[[noreturn]] void raise_as(nb::handle type, const Error& error, nb::handle cause = {});
/// As the type for its code: IndexError, TypeError, ValueError, NotImplementedError, OSError or MemoryError.
[[noreturn]] void raise(const Error& error, nb::handle cause = {});

/// An argument of a function, or a function; with a value that was given.
struct Argument {
  std::string_view function;
  std::string_view name = {};
  ErrorValue value = {};
};
Error about(ErrorCode code, const Argument& argument, std::string text);
[[noreturn]] void raise(ErrorCode code, const Argument& argument, std::string text, nb::handle cause = {});

template <class T>
T unwrap(Result<T>&& result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

[[noreturn]] void sleep_until_exit() noexcept;

/// Calls `work`, which may run Python code or wait for the GIL. Before Python 3.14 an interpreter
/// that ends unwinds the threads that want its lock (pthread_exit): they would drop Python objects without the
/// lock, and leave functions that may not be left so. Such a thread sleeps here until the process is gone, as
/// in 3.14.
template <class Work>
decltype(auto) until_exit(Work&& work) {
  try {
    return work();
  } catch (const std::exception&) {  // also Python's
    throw;
  } catch (...) {
    sleep_until_exit();
  }
}

/// Calls `work` for a function that the interpreter calls itself: exceptions of C++ become Python's. What else
/// unwinds a call is the interpreter's end: see `until_exit`.
template <class Work>
PyObject* call_from_python(Work&& work) noexcept {
  try {
    return nb::object(work()).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    sleep_until_exit();
  }
  return nullptr;
}

/// Releases the GIL while it lives.
class LockReleased {
 public:
  LockReleased() noexcept : state_(PyEval_SaveThread()) {}
  ~LockReleased() {
    until_exit([this] { PyEval_RestoreThread(state_); });
  }
  LockReleased(const LockReleased&) = delete;
  LockReleased& operator=(const LockReleased&) = delete;

 private:
  PyThreadState* state_;
};

/// Calls `work` without the GIL where it is worth the while: other threads go on, and a Ctrl-C that
/// comes meanwhile is raised afterwards by the interpreter.
template <class Work>
auto without_lock(bool release, Work&& work) {
  if (!release) return work();
  const LockReleased released;
  return work();
}

/// True for calls that take longer than taking the lock back.
inline bool is_long(std::int64_t elements) noexcept { return elements > 2048; }

}  // namespace strew::python
