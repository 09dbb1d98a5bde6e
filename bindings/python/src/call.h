// Shared by all calls from Python: NumPy's C interface (array_kind.cc imports it), exceptions, the GIL, threads.
#pragma once

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL strew_numpy_api
#ifndef STREW_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <nanobind/nanobind.h>
#include <numpy/arrayobject.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "strew/error.h"
#include "strew/executor.h"
#include "strew/plan.h"

namespace nb = nanobind;

namespace strew::python {
using nb::literals::operator""_a;

/// Casts an ndarray, or a dtype, to the type in NumPy's C interface.
inline PyArrayObject* as_array(nb::handle object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }
inline PyArray_Descr* as_descr(nb::handle object) { return reinterpret_cast<PyArray_Descr*>(object.ptr()); }

/// Returns the new object that a function of CPython or NumPy returned; throws its exception if that is null.
inline nb::object steal_or_throw(PyObject* result) {
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

/// Raises an exception with the error's message and the attributes of strew.Refusal; `cause` becomes its cause.
[[noreturn]] void raise_as(nb::handle type, const Error& error, nb::handle cause = {});
/// Raises the exception type of the error's code, such as IndexError, TypeError or ValueError.
[[noreturn]] void raise(const Error& error, nb::handle cause = {});

/// A function, or one of its arguments and the argument's value.
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

/// Calls `work`. If `release` is true, releases the GIL meanwhile, so that other Python threads run.
template <class Work>
auto without_lock(bool release, Work&& work) {
  if (!release) return work();
  const LockReleased released;
  return work();
}

/// True for calls that take longer than reacquiring the GIL.
inline bool is_long(std::int64_t elements) noexcept { return elements > 2048; }

nb::dict explain_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes);

/// Returns the executor for this thread's next call; nullptr: the default. The caller keeps it during the call.
std::shared_ptr<Executor> current_executor();

/// Sets the thread count for calls of the whole process; 0: the default. Raises ValueError for an invalid number.
void set_thread_count(int count);
/// Sets the thread count for calls of this thread alone; 0: the process's count. Returns the previous one.
int exchange_own_thread_count(int count);
int thread_count();

}  // namespace strew::python
