// Plans calls, adds advice to errors, and implements strew.explain.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "call.h"
#include "device_call.h"
#include "operator_call.h"

namespace strew::python {
namespace {

// True if an error is about indices or updates, and indices are a tuple: NumPy is indexed by one array per axis.
bool holds_index_arrays(const CallOperands& operands, const Error& refusal) {
  const std::string_view op = operands.op();
  const bool of_shapes = refusal.subject().operand == "indices" || refusal.subject().operand == "updates";
  return of_shapes && op.ends_with("_nd") && operands.indices && operands.indices->given.is_valid() &&
         PyTuple_Check(operands.indices->given.ptr());
}

// Returns advice on how to convert a mask to indices.
std::string unmasked(const CallOperands& operands) {
  const std::string_view op = operands.op();
  const bool flat = operands.indices->shape().rank() == 1 && !op.ends_with("_nd");
  if (operands.indices->is_tensor()) {
    return std::string("; convert a mask to indices with mask.nonzero()") + (flat ? ".flatten()" : "");
  }
  if (flat) return "; convert a mask to indices with np.flatnonzero(mask)";
  return "; convert a mask with np.argwhere(mask) to indices for " +
         std::string(op.starts_with("gather") ? "gather_nd" : "scatter_nd");
}

// Puts the type and shape of the caller's data into the description of a call. For dates, the plan's description
// begins with the type and shape in memory, such as "gather: uint8 [3, 8]".
void name_data(const CallOperands& operands, std::string& call) {
  const std::string named =
      std::string(operands.op()) + ": " + describe_type(operands.data) + " " + to_string(operands.data.shape());
  call.replace(0, call.find(']') + 1, named);
}

Result<Plan> plan_seen_as(const CallParams& params, const CallOperands& operands, SeenAs how) {
  const Operand& data = operands.data;
  if (!operands.function.is_gather()) return plan_with(params, operands, how, std::nullopt);
  const DType seen = how == SeenAs::kElements ? data.dtype : data.buffer.view.dtype();
  return plan_with(params, operands, how, operands.fill.seen_as(seen));
}

// Returns a view with a last axis of length `count`, along which each element is repeated.
TensorView repeated(const TensorView& view, std::int64_t count) {
  Shape shape = view.shape();
  Shape strides = view.dense() ? dense_strides(shape) : view.strides();
  shape.push_back(count);
  strides.push_back(0);
  return {view.data(), view.dtype(), shape, strides};
}

}  // namespace

Result<Plan> plan_with(const CallParams& params, const CallOperands& operands, SeenAs how,
                       const std::optional<TensorView>& fill_value) {
  const auto spec = [&](const Operand& operand) {
    return how == SeenAs::kElements ? operand.spec() : TensorSpec(operand.buffer.view);
  };
  const auto optional = [&](const std::optional<Operand>& operand) {
    return operand ? std::optional(spec(*operand)) : std::nullopt;
  };
  CallParams given = params;
  given.fill_value = fill_value;
  if (operands.alpha) given.alpha = readable_element(*operands.alpha, operands.alpha->dtype);
  const std::optional<Operand>& indices = operands.indices;
  return make_plan(given, spec(operands.data), indices ? std::optional(indices->spec()) : std::nullopt,
                   optional(operands.updates));
}

Result<Plan> legal_plan(const CallParams& params, const CallOperands& operands) {
  const Operand& data = operands.data;
  const std::optional<Operand>& indices = operands.indices;
  const std::optional<Operand>& updates = operands.updates;
  Result<Plan> result = plan_seen_as(params, operands, SeenAs::kElements);
  if (!result && indices && indices->dtype == DType::kBool) {
    result.error().text += unmasked(operands);
  } else if (!result && updates && updates->dtype != data.dtype) {
    result.error().text += how_to_cast(*updates, data);
  } else if (!result && holds_index_arrays(operands, result.error())) {
    result.error().text += "; for a tuple of index arrays, one for each axis, write np.stack(indices, -1)";
  }
  if (result && data.is_opaque && result->reduction() != Reduction::kNone) {
    raise(ErrorCode::kInvalidType, {operands.op(), "reduction"},
          "reduction '" + std::string(reduction_name(result->reduction())) + "' is not supported for " +
              describe_type(data) + ", which can only be moved");
  }
  if (!result) raise(result.error());
  return result;
}

Plan plan_in_memory(const CallParams& params, const CallOperands& operands, const Plan& legal, Operands& views) {
  const bool as_bytes = operands.data.as_bytes();
  const bool by_elements = legal.op() == OpKind::kGatherElements || legal.op() == OpKind::kScatterElements;
  if (as_bytes && by_elements) {
    views.indices = repeated(*views.indices, views.data.shape()[views.data.rank() - 1]);
  }
  const bool fills_apart = operands.fill.element.is_valid();
  if (!as_bytes && !fills_apart) return unwrap(plan_seen_as(params, operands, SeenAs::kMemory));
  return unwrap(make_plan(legal.params(), views.data, views.indices, views.updates));
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

namespace {

nb::dict as_dict(const Explanation& explanation, const IndexRules& rules) {
  nb::list considered;
  for (const Considered& one : explanation.considered) {
    nb::dict entry;
    entry["strategy"] = str_of(strategy_name(one.kind));
    entry["applies"] = one.applies;
    entry["scratch_bytes"] = one.scratch_bytes;
    entry["nanoseconds"] = one.nanoseconds;
    entry["processor_nanoseconds"] = one.processor_nanoseconds;
    entry["reason"] = str_of(one.reason);
    considered.append(entry);
  }
  nb::dict indices;
  indices["lowest"] = explanation.lowest_index;
  indices["highest"] = explanation.highest_index;
  indices["constant_rows"] = explanation.constant_rows;
  indices["any_out_of_bounds"] = explanation.any_out_of_bounds;
  indices["out_of_bounds"] = str_of(out_of_bounds_name(rules.out_of_bounds));
  indices["negative_indices"] = str_of(negative_indices_name(rules.negative_indices));
  nb::dict all;
  all["call"] = str_of(explanation.call);
  all["strategy"] = str_of(strategy_name(explanation.strategy.kind));
  all["reason"] = str_of(explanation.strategy.reason);
  all["tasks"] = explanation.strategy.task_count;
  all["scratch_bytes"] = explanation.scratch_bytes;
  all["prefetch_distance"] = explanation.prefetch_distance;
  all["prefetch_blocks"] = explanation.prefetch_blocks;
  all["prefetch_indices"] = explanation.prefetch_indices;
  all["non_temporal_stores"] = explanation.non_temporal_stores;
  all["reads_once"] = explanation.reads_once;
  all["indices"] = indices;
  all["considered"] = considered;
  return all;
}

}  // namespace

nb::dict explain_call(nb::handle callable, const nb::tuple& positional, const nb::dict& attributes) {
  const OperatorFunction& function = find_operator_function(callable);
  const Arguments arguments = bind_arguments(function, positional, attributes);
  const CallParams params = read_params(function, arguments);
  const CallOperands operands = read_operands(function, arguments, params);
  const Result<Plan> plan = legal_plan(params, operands);
  if (operands.on_device()) return explain_on_device(operands, *plan);
  const Output output = Output::of(operands.op(), operands.out, operands.data, plan->output_shape());
  const HostRun host(params, operands, *plan, output);
  Explanation said = unwrap(strew::explain(host.plan(), host.views, output.view(), host.options));
  if (operands.data.is_moved_type() || operands.data.is_opaque) name_data(operands, said.call);
  return as_dict(said, plan->rules());
}

}  // namespace strew::python
