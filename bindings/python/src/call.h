// Shared by all calls from Python: NumPy's C interface (array_kind.cc imports it), exceptions, the GIL, threads,
// and conversions of names, texts and shapes.
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
#include "strew/run.h"
#include "strew/view.h"

namespace nb = nanobind;

namespace strew::python {
using nb::literals::operator""_a;

/// Casts an ndarray, or a dtype, to its type in NumPy's C interface.
inline PyArrayObject* as_array(nb::handle object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }
inline PyArray_Descr* as_descr(nb::handle object) { return reinterpret_cast<PyArray_Descr*>(object.ptr()); }

/// Returns the new object that a function of CPython or NumPy returned; throws the Python exception if null.
inline nb::object steal_or_throw(PyObject* result) {
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

/// Raises an exception with the error's message and the attributes of strew.Refusal; `cause` becomes its cause.
[[noreturn]] void raise_as(nb::handle type, const Error& error, nb::handle cause = {});
/// Raises an exception of the type for the error's code, such as IndexError, TypeError or ValueError.
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

/// Calls `work`, which may run Python code or wait for the GIL. Before Python 3.14, an exiting interpreter unwinds
/// the stacks of threads that wait for the GIL (pthread_exit). Destructors would then release Python objects
/// without the GIL. Such a thread sleeps here until the process exits, as in 3.14.
template <class Work>
decltype(auto) until_exit(Work&& work) {
  try {
    return work();
  } catch (const std::exception&) {  // including Python exceptions
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

// array_kind.cc: names, texts, shapes and kinds of Python objects

enum class ArrayKind : unsigned char {
  kNumPy,    ///< an ndarray, or a sequence or scalar that becomes one
  kTorch,    ///< a torch.Tensor
  kForeign,  ///< any other object with `__dlpack__` (a JAX array) or `__cuda_array_interface__`
};

/// Loads NumPy's C interface; called once, when the module is imported.
void import_numpy();

/// Returns `module.name`; imports the module if necessary.
nb::object attribute(const char* module, const char* name);

/// Returns str(object) in UTF-8.
std::string text_of(nb::handle object);

inline nb::str str_of(std::string_view words) { return nb::str(words.data(), words.size()); }

nb::tuple to_tuple(const Shape& shape);
/// Returns the name of the object's type, such as "str" or "ndarray".
std::string type_name_of(nb::handle object);
/// Returns the type with an article: "a str", "an int", "a numpy.ndarray"; or "None".
std::string type_with_article(nb::handle object);
/// Returns the operand's name and the verb in singular or plural: "data lies ", "indices lie ".
std::string with_verb(std::string_view operand, std::string_view verb);

/// Returns the kind of an object that is not an ndarray. Imports no module: a tensor's module is already loaded.
ArrayKind classify_array(nb::handle object);

/// True if the object's type is torch.Tensor itself. Attributes of a derived class may run a caller's code.
bool is_plain_tensor(nb::handle object);

/// True for an object that NumPy or another library reads as an array: it has a dtype, `__array__`, an array
/// interface or the buffer protocol. False for scalars, lists and tuples.
bool is_array_like(nb::handle object);

/// True for a Python or NumPy scalar: a number, a bool, a str or bytes.
bool is_scalar(nb::handle object);

/// Returns np.asarray(object, dtype); NumPy chooses the type if `dtype` is null.
nb::object as_ndarray(nb::handle object, nb::handle dtype = {});

/// True if a call with this number of elements takes longer than reacquiring the GIL.
inline bool is_long(std::int64_t elements) noexcept { return elements > 2048; }

// Parts of the module strew._strew

/// edges.cc: the class Edges.
void add_edges(nb::module_& module);
/// graph.cc: fused gather-scatter.
void add_graph(nb::module_& module);
/// models.cc: ONNX models as Python objects.
void add_models(nb::module_& module);
/// planned_call.cc: the class Plan and the function _plan.
void add_planned_calls(nb::module_& module);
/// shards.cc: _route, _find_bad_index, _scatter_parts and _output_shape, which plans a call.
void add_shards(nb::module_& module);
/// by_index.cc: small sums and softmaxes by index.
void add_small_functions(nb::module_& module);

/// picture.cc: draws a call of an operator. Returns (svg, error message or None, operands). Each operand is
/// (name, type, shape, elements); `operands` is empty if there are too many elements to write as text.
nb::tuple picture_call(nb::handle callable, const nb::tuple& positional, const nb::dict& attributes,
                       const nb::str& title);
/// legal_plan.cc: describes how a call would run.
nb::dict explain_call(nb::handle callable, const nb::tuple& positional, const nb::dict& attributes);

/// The executor of calls that keep the GIL: it runs tasks on the calling thread.
inline Executor& calling_thread = serial_executor();
/// Returns the executor for this thread's next call; nullptr: default. The caller keeps it alive during the call.
std::shared_ptr<Executor> current_executor();

/// Calls work(options): without the GIL and on all threads if there are many elements, else on the calling thread.
template <class Work>
auto run_for(std::int64_t elements, const Work& work) {
  const bool release = is_long(elements);
  const std::shared_ptr<Executor> executor = release ? current_executor() : nullptr;
  const Options options{.executor = release ? executor.get() : &calling_thread};
  return without_lock(release, [&] { return work(options); });
}

/// Sets the thread count for calls of the whole process; 0: the default. Raises ValueError for an invalid number.
void set_thread_count(int count);
/// Sets the thread count for calls of this thread only; 0: the process's count. Returns the previous count.
int exchange_own_thread_count(int count);
int thread_count();

}  // namespace strew::python
