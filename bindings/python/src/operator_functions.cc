// The functions' parameters, and how the interpreter calls them.
#include "operator_functions.h"

#include <array>
#include <exception>
#include <new>
#include <string>

#include "array_kind.h"
#include "call.h"
#include "call_request.h"
#include "docs.h"
#include "host_call.h"

namespace strew::python {
namespace {

constexpr std::array kFunctions{
    OperatorFunction(OpKind::kGather, {"gather",
                                       {"data", "indices", "axis", "out", "out_of_bounds", "fill_value",
                                        "negative_indices", "stream", "deferred"},
                                       2,
                                       4}),
    OperatorFunction(OpKind::kGatherElements, {"gather_elements",
                                               {"data", "indices", "axis", "out", "out_of_bounds", "fill_value",
                                                "negative_indices", "stream", "deferred"},
                                               2,
                                               4}),
    OperatorFunction(OpKind::kGatherND, {"gather_nd",
                                         {"data", "indices", "batch_dims", "out", "out_of_bounds", "fill_value",
                                          "negative_indices", "stream", "deferred"},
                                         2,
                                         4}),
    OperatorFunction(OpKind::kScatterElements,
                     {"scatter_elements",
                      {"data", "indices", "updates", "axis", "reduction", "out", "out_of_bounds",
                       "negative_indices", "promote", "include_self", "accumulate", "alpha", "stream", "deferred"},
                      3,
                      6}),
    OperatorFunction(OpKind::kScatterND,
                     {"scatter_nd",
                      {"data", "indices", "updates", "reduction", "out", "out_of_bounds", "negative_indices",
                       "promote", "include_self", "accumulate", "alpha", "stream", "deferred"},
                      3,
                      5}),
    OperatorFunction(OpKind::kTensorScatter, {"tensor_scatter",
                                              {"past_cache", "update", "write_indices", "axis", "mode", "out",
                                               "promote", "stream", "deferred"},
                                              2,
                                              6}),
};

// What else than C++'s exceptions unwinds a call is the interpreter's end: see `until_exit`.
PyObject* call(const OperatorFunction& function, PyObject* const* values, Py_ssize_t positional,
               PyObject* keywords) noexcept {
  try {
    const Arguments arguments(function.signature, values, positional, keywords);
    return run_call(CallRequest(function, arguments, Role::kMoved)).release().ptr();
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

template <std::size_t i>
PyObject* python_function(PyObject*, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) noexcept {
  return call(kFunctions[i], values, positional, keywords);
}

template <std::size_t i>
PyMethodDef method(const char* documentation) noexcept {
  using Plain = void (*)();
  const auto function = reinterpret_cast<Plain>(&python_function<i>);
  return {kFunctions[i].signature.function, reinterpret_cast<PyCFunction>(function), METH_FASTCALL | METH_KEYWORDS,
          documentation};
}

// In the order of the functions; the interpreter's objects point into it.
std::array<PyMethodDef, kFunctions.size() + 1> methods{{method<0>(kGatherDoc),
                                                        method<1>(kGatherElementsDoc),
                                                        method<2>(kGatherNDDoc),
                                                        method<3>(kScatterElementsDoc),
                                                        method<4>(kScatterNDDoc),
                                                        method<5>(kTensorScatterDoc),
                                                        {}}};

}  // namespace

const OperatorFunction& operator_function_of(nb::handle function) {
  if (PyCFunction_Check(function.ptr())) {
    const PyMethodDef* const given = reinterpret_cast<PyCFunctionObject*>(function.ptr())->m_ml;
    for (std::size_t i = 0; i < kFunctions.size(); ++i) {
      if (given == &methods[i]) return kFunctions[i];
    }
  }
  raise(ErrorCode::kInvalidType, text_of(nb::repr(function)) + " is none of the operators");
}

void add_operators(nb::module_& module) {
  if (PyModule_AddFunctions(module.ptr(), methods.data()) < 0) throw nb::python_error();
}

}  // namespace strew::python
