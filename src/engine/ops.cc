// The operators as functions. Each function makes a plan and runs it.
#include "strew/ops.h"

#include "core/error.h"

namespace strew {
namespace {

Result<Tensor> run_allocating(const Result<Plan>& plan, const Operands& operands, const Options& options) {
  if (!plan) return fail(plan.error());
  auto output = Tensor::uninitialized(plan->dtype(), plan->output_shape());
  if (!output) return fail(output.error().code, {op_name(plan->op()), "output"}, "output: ", output.error());
  Options here = options;
  here.promises.output_is_new = true;
  STREW_TRY(run(*plan, operands, output->mutable_view(), here));
  return output;
}

Status run_into(const Result<Plan>& plan, const Operands& operands, const MutableTensorView& output,
                const Options& options) {
  if (!plan) return fail(plan.error());
  return run(*plan, operands, output, options);
}

}  // namespace

Result<Tensor> gather(const TensorView& data, const TensorView& indices, const CallParams& params,
                      const Options& options) {
  return run_allocating(make_plan(params.with_op(OpKind::kGather), data, indices), {data, indices}, options);
}

Status gather_into(const TensorView& data, const TensorView& indices, const MutableTensorView& output,
                   const CallParams& params, const Options& options) {
  return run_into(make_plan(params.with_op(OpKind::kGather), data, indices), {data, indices}, output, options);
}

Result<Tensor> gather_elements(const TensorView& data, const TensorView& indices, const CallParams& params,
                               const Options& options) {
  return run_allocating(make_plan(params.with_op(OpKind::kGatherElements), data, indices), {data, indices},
                        options);
}

Status gather_elements_into(const TensorView& data, const TensorView& indices, const MutableTensorView& output,
                            const CallParams& params, const Options& options) {
  return run_into(make_plan(params.with_op(OpKind::kGatherElements), data, indices), {data, indices}, output,
                  options);
}

Result<Tensor> gather_nd(const TensorView& data, const TensorView& indices, const CallParams& params,
                         const Options& options) {
  return run_allocating(make_plan(params.with_op(OpKind::kGatherND), data, indices), {data, indices}, options);
}

Status gather_nd_into(const TensorView& data, const TensorView& indices, const MutableTensorView& output,
                      const CallParams& params, const Options& options) {
  return run_into(make_plan(params.with_op(OpKind::kGatherND), data, indices), {data, indices}, output, options);
}

Result<Tensor> scatter_elements(const TensorView& data, const TensorView& indices, const TensorView& updates,
                                const CallParams& params, const Options& options) {
  return run_allocating(make_plan(params.with_op(OpKind::kScatterElements), data, indices, updates),
                        {data, indices, updates}, options);
}

Status scatter_elements_into(const TensorView& data, const TensorView& indices, const TensorView& updates,
                             const MutableTensorView& output, const CallParams& params, const Options& options) {
  return run_into(make_plan(params.with_op(OpKind::kScatterElements), data, indices, updates),
                  {data, indices, updates}, output, options);
}

Result<Tensor> scatter_nd(const TensorView& data, const TensorView& indices, const TensorView& updates,
                          const CallParams& params, const Options& options) {
  return run_allocating(make_plan(params.with_op(OpKind::kScatterND), data, indices, updates),
                        {data, indices, updates}, options);
}

Status scatter_nd_into(const TensorView& data, const TensorView& indices, const TensorView& updates,
                       const MutableTensorView& output, const CallParams& params, const Options& options) {
  return run_into(make_plan(params.with_op(OpKind::kScatterND), data, indices, updates), {data, indices, updates},
                  output, options);
}

Result<Tensor> tensor_scatter(const TensorView& past_cache, const TensorView& update,
                              const std::optional<TensorView>& write_indices, const CallParams& params,
                              const Options& options) {
  return run_allocating(make_plan(params.with_op(OpKind::kTensorScatter), past_cache, write_indices, update),
                        {past_cache, write_indices, update}, options);
}

Status tensor_scatter_into(const TensorView& past_cache, const TensorView& update,
                           const std::optional<TensorView>& write_indices, const MutableTensorView& present_cache,
                           const CallParams& params, const Options& options) {
  return run_into(make_plan(params.with_op(OpKind::kTensorScatter), past_cache, write_indices, update),
                  {past_cache, write_indices, update}, present_cache, options);
}

}  // namespace strew
