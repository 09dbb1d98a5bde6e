// Reads the arguments of calls.
#include "call_request.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strew::python {
namespace {

std::int64_t read_value(const Parameter& parameter, const Arguments& given, std::size_t position) {
  switch (parameter.attribute->type) {
    case AttributeType::kInt:
      return given.integer(position);
    case AttributeType::kString:
      return given.word(position, parameter.words);
    case AttributeType::kBool:
      return given.flag(position) ? 1 : 0;
    case AttributeType::kElement:
      break;  // read when data are
  }
  return 0;
}

CallParams read_params(const OperatorFunction& function, const Arguments& given) {
  CallParams params{.op = function.op};
  for (std::size_t i = function.info.inputs.size(); i < given.end(); ++i) {
    const Parameter& parameter = function.parameters[i];
    if (given[i].is_valid() && parameter.attribute != nullptr && parameter.attribute->set != nullptr) {
      parameter.attribute->set(params, read_value(parameter, given, i));
    }
  }
  return params;
}

bool casts_same_kind(const OperatorFunction& function, const Arguments& given) {
  const std::size_t at = function.casting;
  return given[at].is_valid() && given.word(at, function.parameters[at].words) != 0;
}

bool is_scalar(const Operand& operand) { return operand.buffer.view.rank() == (operand.as_bytes() ? 1 : 0); }

// indices.shape[:-1] ++ data.shape[indices.shape[-1]:], or any shape if these do not fit: the plan rejects them.
Shape scatter_nd_updates_shape(const Shape& data, const Shape& indices) {
  Shape shape;
  const std::int64_t tuples = indices.rank() - 1;
  for (std::int64_t axis = 0; axis < tuples; ++axis) shape.push_back(indices[axis]);
  for (std::int64_t axis = tuples < 0 ? 0 : indices[tuples]; axis < data.rank(); ++axis)
    shape.push_back(data[axis]);
  return shape;
}

bool may_run_code(nb::handle object) {
  return PyArray_CheckExact(object.ptr()) == 0 && !object.is_none() && !is_plain_tensor(object);
}

// True if the plan rejects shapes and the indices are a tuple, as in NumPy's indexing by one array per axis.
bool holds_index_arrays(const CallRequest& request, const Error& refusal) {
  const std::string_view op = request.op();
  const bool of_shapes = refusal.subject().operand == "indices" || refusal.subject().operand == "updates";
  return of_shapes && op.ends_with("_nd") && request.indices && request.indices->given.is_valid() &&
         PyTuple_Check(request.indices->given.ptr());
}

// How a mask becomes indices.
std::string unmasked(const CallRequest& request) {
  const std::string_view op = request.op();
  const bool flat = request.indices->shape().rank() == 1 && !op.ends_with("_nd");
  if (request.indices->is_tensor()) {
    return std::string("; a mask becomes indices by mask.nonzero()") + (flat ? ".flatten()" : "");
  }
  if (flat) return "; a mask becomes indices by np.flatnonzero(mask)";
  return "; a mask becomes indices by np.argwhere(mask), for " +
         std::string(op.starts_with("gather") ? "gather_nd" : "scatter_nd");
}

}  // namespace

CallRequest::CallRequest(const OperatorFunction& called, const Arguments& arguments, Role data_role)
    : function(called),
      params(read_params(called, arguments)),
      data(to_operand(op(), data_name(), arguments[0], called.is_gather() ? data_role : Role::kRead)),
      fill(arguments.or_none(called.fill_value)),
      out(arguments.or_none(called.out)),
      rejects_duplicates(arguments[called.reject_duplicates].is_valid() &&
                         arguments.flag(called.reject_duplicates)) {
  const bool same_kind = casts_same_kind(called, arguments);
  const bool updates_first = called.updates < called.indices;
  if (updates_first) read_updates(arguments, same_kind);
  read_indices(arguments);
  if (!updates_first) read_updates(arguments, same_kind);
  if (const nb::handle scale = arguments.or_none(called.alpha); !scale.is_none()) {
    alpha.emplace(to_updates(op(), "alpha", scale, data));
  }
  if (called.is_gather()) fill.read(op(), data, params.rules.out_of_bounds == OutOfBounds::kFill);
}

void CallRequest::read_indices(const Arguments& arguments) {
  const nb::handle given = arguments.or_none(function.indices);
  if (given.is_none()) return;
  const char* const name = function.name(function.indices);
  if (PyArray_Check(given.ptr()) == 0) checked = as_checked_indices(given);
  indices.emplace(InPlace{[&]() -> Operand {
    return checked == nullptr ? to_operand(op(), name, given, Role::kIndices) : checked->indices;
  }});
  indices->given = given;
}

void CallRequest::read_updates(const Arguments& arguments, bool same_kind) {
  const nb::handle given = arguments[function.updates];
  if (!given.is_valid()) return;
  const char* const name = function.name(function.updates);
  updates.emplace(InPlace{[&] { return to_updates(op(), name, given, data, same_kind); }});
  if (function.op == OpKind::kTensorScatter || !is_scalar(*updates)) return;
  const Shape& shape = indices->buffer.view.shape();
  repeat_scalar(*updates,
                function.op == OpKind::kScatterND ? scatter_nd_updates_shape(data.shape(), shape) : shape);
}

std::array<NamedOperand, 3> CallRequest::operands() const noexcept {
  const auto named = [&](std::size_t position, const std::optional<Operand>& operand) {
    return operand ? NamedOperand{function.name(position), &*operand} : NamedOperand{"", nullptr};
  };
  return {{{data_name(), &data}, named(function.indices, indices), named(function.updates, updates)}};
}

bool CallRequest::on_device() const noexcept {
  return data.on_device() || (indices && indices->on_device()) || (updates && updates->on_device());
}

Result<Plan> CallRequest::plan(SeenAs how) const {
  if (!function.is_gather()) return plan(how, std::nullopt);
  return plan(how, fill.seen_as(how == SeenAs::kElements ? data.dtype : data.buffer.view.dtype()));
}

Result<Plan> CallRequest::plan(SeenAs how, const std::optional<TensorView>& fill_value) const {
  const auto spec = [&](const Operand& operand) {
    return how == SeenAs::kElements ? operand.spec() : TensorSpec(operand.buffer.view);
  };
  CallParams given = params;
  given.fill_value = fill_value;
  if (alpha) given.alpha = readable_element(*alpha, alpha->dtype);
  const auto optional = [&](const std::optional<Operand>& operand) {
    return operand ? std::optional(spec(*operand)) : std::nullopt;
  };
  return make_plan(given, spec(data), indices ? std::optional(indices->spec()) : std::nullopt, optional(updates));
}

Result<Plan> CallRequest::legal_plan() const {
  Result<Plan> result = plan(SeenAs::kElements);
  if (!result && indices && indices->dtype == DType::kBool) {
    result.error().text += unmasked(*this);
  } else if (!result && updates && updates->dtype != data.dtype) {
    result.error().text += how_to_cast(*updates, data);
  } else if (!result && holds_index_arrays(*this, result.error())) {
    result.error().text += "; for a tuple of index arrays, one for each axis, write np.stack(indices, -1)";
  }
  if (result && data.is_opaque() && result->reduction() != Reduction::kNone) {
    raise(ErrorCode::kInvalidType, {op(), "reduction"},
          "reduction '" + std::string(reduction_name(result->reduction())) + "' is not supported for " +
              describe_type(data) + ", which can only be moved");
  }
  if (!result) raise(result.error());
  return result;
}

Arguments bind_arguments(const OperatorFunction& function, const nb::tuple& arguments,
                         const nb::dict& attributes) {
  std::vector<PyObject*> values;
  for (const nb::handle value : arguments) values.push_back(value.ptr());
  nb::list names;
  for (const auto& [name, value] : attributes) {
    names.append(name);
    values.push_back(value.ptr());
  }
  const nb::tuple keywords(names);
  const auto positional = static_cast<Py_ssize_t>(arguments.size());
  return {function.signature, values.data(), positional, keywords.ptr()};
}

CallRequest read_request(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes,
                         Role data_role) {
  const OperatorFunction& called = find_operator_function(function);
  return {called, bind_arguments(called, arguments, attributes), data_role};
}

Unchanged all_unchanged(const CallRequest& request) {
  const auto ran_code = [](const std::optional<Operand>& operand) {
    return operand && may_run_code(operand->given);
  };
  if (!may_run_code(request.data.given) && !ran_code(request.indices) && !ran_code(request.updates) &&
      !ran_code(request.alpha) && !may_run_code(request.out) && !may_run_code(request.fill.given))
    return {request.op(), {}};
  const auto [data, indices, updates] = request.operands();
  const auto given = [](const std::optional<Operand>& operand) { return operand ? &*operand : nullptr; };
  const std::array all{data, indices, updates, NamedOperand{"alpha", given(request.alpha)},
                       NamedOperand{"fill_value", given(request.fill.operand)}};
  return {request.op(), all};
}

}  // namespace strew::python
