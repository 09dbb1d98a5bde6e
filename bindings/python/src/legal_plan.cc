// Plans calls and adds advice to errors. Parses calls for strew.explain and others, and explains a call as a dict.
#include <string>
#include <string_view>
#include <vector>

#include "call.h"
#include "device_call.h"
#include "operator_call.h"

namespace strew::python {
namespace {

// True if the plan rejects a shape and the indices are a tuple, as in NumPy's indexing with one array per axis.
bool holds_index_arrays(const CallRequest& request, const Error& refusal) {
  const std::string_view op = request.op();
  const bool of_shapes = refusal.subject().operand == "indices" || refusal.subject().operand == "updates";
  return of_shapes && op.ends_with("_nd") && request.indices && request.indices->given.is_valid() &&
         PyTuple_Check(request.indices->given.ptr());
}

// Returns advice on how to convert a mask to indices.
std::string unmasked(const CallRequest& request) {
  const std::string_view op = request.op();
  const bool flat = request.indices->shape().rank() == 1 && !op.ends_with("_nd");
  if (request.indices->is_tensor()) {
    return std::string("; convert a mask to indices with mask.nonzero()") + (flat ? ".flatten()" : "");
  }
  if (flat) return "; convert a mask to indices with np.flatnonzero(mask)";
  return "; convert a mask to indices with np.argwhere(mask), for " +
         std::string(op.starts_with("gather") ? "gather_nd" : "scatter_nd");
}

// Writes data's type and shape into the description of a plan for bytes, such as "gather: uint8 [3, 8], ...".
void name_data(const CallRequest& request, std::string& call) {
  const std::string named =
      std::string(request.op()) + ": " + describe_type(request.data) + " " + to_string(request.data.shape());
  call.replace(0, call.find(']') + 1, named);
}

}  // namespace

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
  if (result && data.is_opaque && result->reduction() != Reduction::kNone) {
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

Explanation HostCall::explain() const {
  const Operand& data = request_.data;
  Explanation said = unwrap(data.as_bytes() ? explain_bytes(*plan_, operands(), output_.view(), options_)
                                            : strew::explain(*plan_, operands(), output_.view(), options_));
  if (data.is_moved_type() || data.is_opaque) name_data(request_, said.call);
  return said;
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

nb::dict explain_call(nb::handle function, const nb::tuple& arguments, const nb::dict& attributes) {
  const CallRequest request = read_request(function, arguments, attributes);
  Result<Plan> plan = request.legal_plan();
  if (request.on_device()) return explain_on_device(request, *plan);
  return as_dict(HostCall(request, *plan).explain(), plan->rules());
}

}  // namespace strew::python
