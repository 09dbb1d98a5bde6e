// Refusals as exceptions, and the end of the interpreter.
#include "call.h"

#include <unistd.h>

namespace strew::python {
namespace {

constexpr std::size_t kLongestMessage = 4000;

PyObject* exception_for(ErrorCode code) {
  switch (code) {
    case ErrorCode::kIndexOutOfRange:
      return PyExc_IndexError;
    case ErrorCode::kInvalidType:
      return PyExc_TypeError;
    case ErrorCode::kUnsupported:
      return PyExc_NotImplementedError;
    case ErrorCode::kIo:
      return PyExc_OSError;
    case ErrorCode::kOutOfMemory:
      return PyExc_MemoryError;
    case ErrorCode::kDevice:
      return PyExc_RuntimeError;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kInvalidModel:
      break;
  }
  return PyExc_ValueError;
}

}  // namespace

void raise(ErrorCode code, const std::string& message) {
  const std::string line = one_line(message, kLongestMessage);
  // It may quote bytes of a file, which need not be UTF-8.
  const nb::object text =
      nb::steal(PyUnicode_DecodeUTF8(line.data(), static_cast<Py_ssize_t>(line.size()), "backslashreplace"));
  if (text.is_valid()) PyErr_SetObject(exception_for(code), text.ptr());
  throw nb::python_error();
}

void sleep_until_exit() noexcept {
  for (;;) ::pause();
}

}  // namespace strew::python
