// Code that calls from Python share: turns errors into exceptions, releases the GIL during work, explains calls.
#pragma once

#include <cstdint>
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

/// Raises an exception with the error's message and the attributes of strew.Refusal; `cause` becomes its cause.
[[noreturn]] void raise_as(nb::handle type, const Error& error, nb::handle cause = {});
/// Raises the exception type of the error's code, such as IndexError, TypeError or ValueError.
[[noreturn]] void raise(const Error& error, nb::handle cause = {});

/// A function, or one of its arguments, and the value passed for it.
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

/// Calls `work`, which may run Python code or wait for the GIL. Before Python 3.14 an exiting interpreter unwinds
/// threads that wait for the GIL (pthread_exit): they would release Python objects without the GIL and unwind
/// noexcept functions. Such a thread sleeps here until the process exits, as in 3.14.
template <class Work>
decltype(auto) until_exit(Work&& work) {
  try {
    return work();
  } catch (const std::exception&) {  // also exceptions of Python
    throw;
  } catch (...) {
    sleep_until_exit();
  }
}

/// Calls `work` and turns C++ exceptions into Python exceptions, for functions that the interpreter calls.
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

/// Releases the GIL during its lifetime.
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

/// Calls `work` without the GIL if `release`: other threads run on, and the interpreter raises a pending Ctrl-C
/// afterwards.
template <class Work>
auto without_lock(bool release, Work&& work) {
  if (!release) return work();
  const LockReleased released;
  return work();
}

/// True for calls that take longer than reacquiring the GIL.
inline bool is_long(std::int64_t elements) noexcept { return elements > 2048; }

/// Returns a dict that describes how a call of an operator would run.
nb::dict explain_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes);

}  // namespace strew::python
