// A call of one of the operators as Python made it: read, and not yet planned.
#pragma once

#include <array>
#include <optional>

#include "arguments.h"
#include "checked_indices.h"
#include "fill_value.h"
#include "operand.h"
#include "operator_functions.h"

namespace strew::python {

/// What a plan sees of operands whose elements NumPy's memory holds in another form.
enum class SeenAs : bool {
  kElements,  ///< what they are: every rule and message is theirs
  kMemory,    ///< what they look like, as which they are moved
};

/// What the caller gave. Operators run it; `explain`, `picture` and others ask something else of the same request.
struct CallRequest {
  /// Reads the arguments, parameters first. TypeError and ValueError for what cannot be read.
  CallRequest(const OperatorFunction& called, const Arguments& arguments, Role data_role);
  CallRequest(const CallRequest&) = delete;
  CallRequest& operator=(const CallRequest&) = delete;

  const char* op() const noexcept { return function.signature.function; }
  /// The operands that the operator has; null where one was left out.
  std::array<NamedOperand, 3> operands() const noexcept;
  const char* data_name() const noexcept { return function.signature.names[0].data(); }
  /// Whether one of the operands lies on a device.
  bool on_device() const noexcept;
  /// With `fill_value` instead of the one given, whose strings the library cannot read where NumPy holds them.
  Result<Plan> plan(SeenAs how, const std::optional<TensorView>& fill_value) const;
  Result<Plan> plan(SeenAs how) const;
  /// Holds a plan, or raises the library's refusal; where types differ it also says how to make them one, and what
  /// a mask becomes.
  Result<Plan> legal_plan() const;

  const OperatorFunction& function;
  CallParams params;  ///< without fill_value and alpha
  Operand data;
  std::optional<Operand> indices;
  const CheckedIndices* checked = nullptr;  ///< what is known of indices that were checked before
  std::optional<Operand> updates;
  std::optional<Operand> alpha;
  FillValue fill;
  nb::handle out;  ///< None where a new array is wanted
  bool rejects_duplicates;

 private:
  void read_indices(const Arguments& arguments);
  void read_updates(const Arguments& arguments, bool same_kind);
};

/// The arguments of a call `function(*arguments, **attributes)`; they live as long as what they were given in.
Arguments arguments_of(const OperatorFunction& function, const nb::tuple& arguments, const nb::dict& attributes);

/// Reads a call `function(*arguments, **attributes)` of one of the operators.
CallRequest request_of(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes,
                       Role data_role = Role::kMoved);

/// ValueError for the first operand that was changed while another one was read. To be asked when also `out` is
/// read.
Unchanged all_unchanged(const CallRequest& request);

}  // namespace strew::python
