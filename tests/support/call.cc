// Calls passed on to the functions of the library and of the oracle.
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

ScatterElementsParams elements_params(const Call& call, const CallOperands& o) {
  return {call.axis, call.reduction, call.rules, call.include_self, call.acc_dtype, o.alpha};
}

ScatterNDParams nd_params(const Call& call, const CallOperands& o) {
  return {call.reduction, call.rules, call.include_self, call.acc_dtype, o.alpha};
}

}  // namespace

Result<Tensor> run(const Call& call, const CallOperands& o, const Options& options) {
  switch (call.op) {
    case OpKind::kGather:
      return gather(o.data, *o.indices, {call.axis, call.rules, o.fill_value}, options);
    case OpKind::kGatherElements:
      return gather_elements(o.data, *o.indices, {call.axis, call.rules, o.fill_value}, options);
    case OpKind::kGatherND:
      return gather_nd(o.data, *o.indices, {call.batch_dims, call.rules, o.fill_value}, options);
    case OpKind::kScatterElements:
      return scatter_elements(o.data, *o.indices, *o.updates, elements_params(call, o), options);
    case OpKind::kScatterND:
      return scatter_nd(o.data, *o.indices, *o.updates, nd_params(call, o), options);
    default:
      return tensor_scatter(o.data, *o.updates, o.indices, {call.axis, call.mode}, options);
  }
}

Status run_into(const Call& call, const CallOperands& o, const MutableTensorView& output, const Options& options) {
  switch (call.op) {
    case OpKind::kGather:
      return gather_into(o.data, *o.indices, output, {call.axis, call.rules, o.fill_value}, options);
    case OpKind::kGatherElements:
      return gather_elements_into(o.data, *o.indices, output, {call.axis, call.rules, o.fill_value}, options);
    case OpKind::kGatherND:
      return gather_nd_into(o.data, *o.indices, output, {call.batch_dims, call.rules, o.fill_value}, options);
    case OpKind::kScatterElements:
      return scatter_elements_into(o.data, *o.indices, *o.updates, output, elements_params(call, o), options);
    case OpKind::kScatterND:
      return scatter_nd_into(o.data, *o.indices, *o.updates, output, nd_params(call, o), options);
    default:
      return tensor_scatter_into(o.data, *o.updates, o.indices, output, {call.axis, call.mode}, options);
  }
}

Result<Plan> make_plan(const Call& call, const CallOperands& o) {
  switch (call.op) {
    case OpKind::kGather:
      return make_gather_plan(o.data, *o.indices, {call.axis, call.rules, o.fill_value});
    case OpKind::kGatherElements:
      return make_gather_elements_plan(o.data, *o.indices, {call.axis, call.rules, o.fill_value});
    case OpKind::kGatherND:
      return make_gather_nd_plan(o.data, *o.indices, {call.batch_dims, call.rules, o.fill_value});
    case OpKind::kScatterElements:
      return make_scatter_elements_plan(o.data, *o.indices, *o.updates, elements_params(call, o));
    case OpKind::kScatterND:
      return make_scatter_nd_plan(o.data, *o.indices, *o.updates, nd_params(call, o));
    default: {
      std::optional<TensorSpec> indices;
      if (o.indices) indices.emplace(*o.indices);
      return make_tensor_scatter_plan(o.data, *o.updates, indices, {call.axis, call.mode});
    }
  }
}

reference::Outcome run_reference(const Call& call, const CallOperands& o) {
  switch (call.op) {
    case OpKind::kGather:
      return reference::gather(o.data, *o.indices, {call.axis, call.rules, o.fill_value});
    case OpKind::kGatherElements:
      return reference::gather_elements(o.data, *o.indices, {call.axis, call.rules, o.fill_value});
    case OpKind::kGatherND:
      return reference::gather_nd(o.data, *o.indices, {call.batch_dims, call.rules, o.fill_value});
    case OpKind::kScatterElements:
      return reference::scatter_elements(o.data, *o.indices, *o.updates, elements_params(call, o));
    case OpKind::kScatterND:
      return reference::scatter_nd(o.data, *o.indices, *o.updates, nd_params(call, o));
    default:
      return reference::tensor_scatter(o.data, *o.updates, o.indices, {call.axis, call.mode});
  }
}

}  // namespace strew::support
