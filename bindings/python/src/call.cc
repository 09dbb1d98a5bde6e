#include "call.h"

#include <unistd.h>

#include <array>
#include <type_traits>
#include <variant>

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

// Returns a message as a str. A message may quote bytes of a file that are not UTF-8.
nb::object decoded(const std::string& text) {
  return steal_or_throw(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

nb::object or_none(const std::string& text) { return text.empty() ? nb::none() : decoded(text); }

nb::object to_object(const ErrorValue& value) {
  return std::visit(
      []<class T>(const T& one) -> nb::object {
        if constexpr (std::is_same_v<T, std::monostate>)
          return nb::none();
        else if constexpr (std::is_same_v<T, std::string>)
          return decoded(one);
        else
          return nb::int_(one);
      },
      value);
}

std::array<std::pair<const char*, nb::object>, 8> refusal_attributes(const Error& error) {
  nb::object axis = nb::none();
  if (error.subject().axis) axis = nb::int_(*error.subject().axis);
  nb::object position = nb::none();
  if (error.position()) {
    nb::list coordinates;
    for (const std::int64_t coordinate : *error.position()) coordinates.append(coordinate);
    position = nb::tuple(coordinates);
  }
  return {{{"code", decoded(std::string(error_code_name(error.code)))},
           {"text", decoded(one_line(error.text, kLongestMessage))},
           {"operator", or_none(error.subject().op)},
           {"operand", or_none(error.subject().operand)},
           {"axis", axis},
           {"position", position},
           {"value", to_object(error.value())},
           {"where", or_none(error.where())}}};
}

}  // namespace

void raise_as(nb::handle type, const Error& error, nb::handle cause) {
  const nb::object exception = type(decoded(one_line(error.message(), kLongestMessage)));
  for (const auto& [name, value] : refusal_attributes(error)) exception.attr(name) = value;
  if (cause.is_valid()) {
    PyException_SetCause(exception.ptr(), cause.inc_ref().ptr());
    PyException_SetContext(exception.ptr(), cause.inc_ref().ptr());
  }
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw nb::python_error();
}

void raise(const Error& error, nb::handle cause) { raise_as(exception_for(error.code), error, cause); }

Error about(ErrorCode code, const Argument& argument, std::string text) {
  Error error(code, std::move(text));
  ErrorDetails& details = error.details();
  details.subject.op = argument.function;
  details.subject.operand = argument.name;
  details.value = argument.value;
  return error;
}

void raise(ErrorCode code, const Argument& argument, std::string text, nb::handle cause) {
  raise(about(code, argument, std::move(text)), cause);
}

void sleep_until_exit() noexcept {
  for (;;) ::pause();
}

}  // namespace strew::python
