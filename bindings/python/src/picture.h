// Pictures of calls from Python.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fill_value.h"
#include "operand.h"
#include "strew/error.h"
#include "strew/plan.h"

namespace strew::python {

/// What a picture says of a call, or why the call is refused; the operands for those who write them as text.
struct CallPicture {
  std::string title;  ///< given
  std::string svg = {};
  std::optional<std::string> error = std::nullopt;
  nb::list operands = {};  ///< (name, type, shape, elements); empty where they are too many
};

struct DrawnOperands {
  const Operand& data;
  const Operand* indices;  ///< nullptr where there are none
  const Operand* updates;
  const FillValue* fill;
  const Operand* alpha = nullptr;
};

void draw_call(const char* op, const Result<Plan>& plan, const DrawnOperands& given, CallPicture& picture);

/// Calls one of the operators for its picture: (svg, message of the error or None, operands).
nb::tuple picture_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes,
                       const nb::str& title);

}  // namespace strew::python
