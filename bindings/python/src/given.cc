// Whether operands are still what they were when they were read.
#include "given.h"

#include <algorithm>

namespace strew::python {
namespace {

bool may_run_code(nb::handle object) {
  return PyArray_CheckExact(object.ptr()) == 0 && !object.is_none() && !is_plain_tensor(object);
}

}  // namespace

void check_all_unchanged(const Given& given) {
  const auto operands = named_operands(given);
  const auto ran_code = [](const NamedOperand& one) {
    return one.operand != nullptr && may_run_code(one.operand->given);
  };
  const bool fill_ran_code = given.fill != nullptr && may_run_code(given.fill->given);
  if (!std::ranges::any_of(operands, ran_code) && !may_run_code(given.out) && !fill_ran_code) return;
  for (const auto& [name, operand] : operands) {
    if (operand != nullptr) check_unchanged(given.op, name, *operand);
  }
  if (given.fill != nullptr && given.fill->operand) check_unchanged(given.op, "fill_value", *given.fill->operand);
}

}  // namespace strew::python
