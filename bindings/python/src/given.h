// What a caller gave to one of the operators.
#pragma once

#include <array>

#include "fill_value.h"
#include "operand.h"
#include "wanted.h"

namespace strew::python {

/// How a call on a device is done: None stands for what the arrays' own library does, and for waiting.
struct DeviceOptions {
  nb::handle stream;
  nb::handle deferred;
};

/// The operands of one call; those that an operator does not have are null.
struct Given {
  const char* op;
  const Operand& data;
  const Operand* indices;
  const Operand* updates;
  nb::handle out;
  Wanted wanted;  ///< instead of a result
  DeviceOptions device;
  const FillValue* fill = nullptr;
  const Operand* alpha = nullptr;
};

struct NamedOperand {
  const char* name;  ///< as messages say it
  const Operand* operand;
};

inline std::array<NamedOperand, 3> named_operands(const Given& given) {
  const bool cache = std::string_view(given.op) == "tensor_scatter";
  return {{{cache ? "past_cache" : "data", &given.data},
           {cache ? "write_indices" : "indices", given.indices},
           {cache ? "update" : "updates", given.updates}}};
}

/// ValueError where another operand was changed while one was read: an array of another kind may run any code.
void check_all_unchanged(const Given& given);

}  // namespace strew::python
