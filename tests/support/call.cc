#include "support/call.h"

namespace strew::support {

std::string to_string(const Call& call) {
  return std::string(op_name(call.op)) + " reduction=" + std::string(reduction_name(call.reduction)) +
         " axis=" + std::to_string(call.axis) + " batch_dims=" + std::to_string(call.batch_dims) +
         " mode=" + std::string(write_mode_name(call.mode)) +
         " out_of_bounds=" + std::string(out_of_bounds_name(call.rules.out_of_bounds)) +
         " negative_indices=" + std::string(negative_indices_name(call.rules.negative_indices)) +
         " include_self=" + (call.include_self ? "true" : "false") +
         " acc_dtype=" + std::string(acc_dtype_name(call.acc_dtype));
}

namespace {

// Returns only the parameters that the operator has.
CallParams params_of(const Call& call, const CallOperands& o) {
  if (call.op == OpKind::kTensorScatter) return {.axis = call.axis, .mode = call.mode};
  CallParams params{.rules = call.rules};
  if (call.op == OpKind::kGatherND) params.batch_dims = call.batch_dims;
  if (call.op != OpKind::kGatherND && call.op != OpKind::kScatterND) params.axis = call.axis;
  if (!is_scatter(call.op)) {
    params.fill_value = o.fill_value;
    return params;
  }
  params.reduction = call.reduction;
  params.include_self = call.include_self;
  params.acc_dtype = call.acc_dtype;
  params.alpha = o.alpha;
  return params;
}

}  // namespace

Result<Tensor> run(const Call& call, const CallOperands& o, const Options& options) {
  const CallParams params = params_of(call, o);
  if (call.op == OpKind::kGather) return gather(o.data, *o.indices, params, options);
  if (call.op == OpKind::kGatherElements) return gather_elements(o.data, *o.indices, params, options);
  if (call.op == OpKind::kGatherND) return gather_nd(o.data, *o.indices, params, options);
  if (call.op == OpKind::kScatterElements)
    return scatter_elements(o.data, *o.indices, *o.updates, params, options);
  if (call.op == OpKind::kScatterND) return scatter_nd(o.data, *o.indices, *o.updates, params, options);
  return tensor_scatter(o.data, *o.updates, o.indices, params, options);
}

Status run_into(const Call& call, const CallOperands& o, const MutableTensorView& output, const Options& options) {
  const CallParams params = params_of(call, o);
  if (call.op == OpKind::kGather) return gather_into(o.data, *o.indices, output, params, options);
  if (call.op == OpKind::kGatherElements) return gather_elements_into(o.data, *o.indices, output, params, options);
  if (call.op == OpKind::kGatherND) return gather_nd_into(o.data, *o.indices, output, params, options);
  if (call.op == OpKind::kScatterElements)
    return scatter_elements_into(o.data, *o.indices, *o.updates, output, params, options);
  if (call.op == OpKind::kScatterND)
    return scatter_nd_into(o.data, *o.indices, *o.updates, output, params, options);
  return tensor_scatter_into(o.data, *o.updates, o.indices, output, params, options);
}

Result<Plan> make_plan(const Call& call, const CallOperands& o) {
  CallParams params = params_of(call, o);
  params.op = call.op;
  return strew::make_plan(params, o.data, o.indices, o.updates);
}

reference::Outcome run_reference(const Call& call, const CallOperands& o) {
  const CallParams params = params_of(call, o);
  if (call.op == OpKind::kGather) return reference::gather(o.data, *o.indices, params);
  if (call.op == OpKind::kGatherElements) return reference::gather_elements(o.data, *o.indices, params);
  if (call.op == OpKind::kGatherND) return reference::gather_nd(o.data, *o.indices, params);
  if (call.op == OpKind::kScatterElements)
    return reference::scatter_elements(o.data, *o.indices, *o.updates, params);
  if (call.op == OpKind::kScatterND) return reference::scatter_nd(o.data, *o.indices, *o.updates, params);
  return reference::tensor_scatter(o.data, *o.updates, o.indices, params);
}

}  // namespace strew::support
