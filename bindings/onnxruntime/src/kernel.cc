// The kernel of a node: a plan from the shapes of each run, and that plan run into ONNX Runtime's output.
#include "kernel.h"

#include <utility>

#include "executor.h"
#include "kernel_info.h"
#include "parameters.h"
#include "provider.h"
#include "tensors.h"

namespace strew::ort {
namespace {

OrtErrorCode status_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kInvalidType:
    case ErrorCode::kIndexOutOfRange:
      return ORT_INVALID_ARGUMENT;
    case ErrorCode::kUnsupported:
      return ORT_NOT_IMPLEMENTED;
    default:
      return ORT_FAIL;
  }
}

template <class T>
T unwrap(Result<T> result) {
  if (!result) throw Refusal{status_code(result.error().code), std::move(result.error().message)};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

struct Kernel : OrtKernelImpl {
  Kernel(Provider& made_by, const OrtKernelInfo* info);

  void compute(OrtKernelContext* context) const;

  const Api& api;
  const int threads;
  const std::size_t inputs;
  const Parameters parameters;
  /// Along how many of their last axes the indices repeat.
  std::int64_t repeated = 0;
};

const OrtValue* input_value(const Api& api, const OrtKernelContext* context, std::size_t i) {
  const OrtValue* value = nullptr;
  check(api.ort.KernelContext_GetInput(context, i, &value));
  return value;
}

struct Inputs {
  TensorView first;
  TensorView second;
  std::optional<TensorView> third;
};

Operands operands_of(const Plan& plan, const Inputs& inputs) {
  if (plan.op() == OpKind::kTensorScatter) return {inputs.first, inputs.third, inputs.second};
  return {inputs.first, inputs.second, inputs.third};
}

void Kernel::compute(OrtKernelContext* context) const {
  const OrtValue* data = input_value(api, context, 0);
  Inputs views{view_of(api, data), view_of(api, input_value(api, context, 1)), std::nullopt};
  if (inputs > 2) {
    const OrtValue* third = input_value(api, context, 2);
    if (third != nullptr) views.third = view_of(api, third);
  }
  std::optional<TensorSpec> third;
  if (views.third) third = *views.third;
  const Plan plan = unwrap(make_plan(parameters, views.first, views.second, third));
  views.second = without_repetition(views.second, repeated);

  OrtValue* output = nullptr;
  const Shape& shape = plan.output_shape();
  check(api.ort.KernelContext_GetOutput(context, 0, shape.data(), shape.size(), &output));

  SessionThreads executor(api, context, threads);
  const Options options{.executor = &executor};
  if (plan.dtype() == DType::kString) {
    const std::vector<std::string> strings = read_strings(api, data);
    std::vector<std::string> result(static_cast<std::size_t>(plan.position_count()));
    views.first = TensorView(strings, views.first.shape());
    unwrap(run(plan, operands_of(plan, views), MutableTensorView(result, shape), options));
    write_strings(api, result, output);
  } else {
    void* address = nullptr;
    check(api.ort.GetTensorMutableData(output, &address));
    unwrap(run(plan, operands_of(plan, views), MutableTensorView(address, plan.dtype(), shape), options));
  }
  if (!executor.complete()) throw Refusal{ORT_FAIL, "strew: ONNX Runtime's threads did not run all tasks"};
}

Kernel::Kernel(Provider& made_by, const OrtKernelInfo* info)
    : OrtKernelImpl{},
      api(made_by.api),
      threads(made_by.options.threads),
      inputs(input_count(api, info)),
      parameters(read_parameters(api, info)) {
  ort_version_supported = kApiVersion;
  Compute = [](OrtKernelImpl* self, OrtKernelContext* context) noexcept {
    const auto& kernel = *static_cast<const Kernel*>(self);
    return guarded(kernel.api, [&] { kernel.compute(context); });
  };
  Release = [](OrtKernelImpl* self) noexcept { delete static_cast<Kernel*>(self); };
  if (std::holds_alternative<ScatterElementsParams>(parameters) ||
      std::holds_alternative<GatherElementsParams>(parameters)) {
    repeated = made_by.repeated_values.reader_made(input_name(api, info, 1));
    const OrtValue* constant = constant_input(api, info, 1);
    if (constant != nullptr) repeated = repeated_axes(view_of(api, constant));
  }
}

}  // namespace

OrtStatus* create_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept {
  const Api& api = *static_cast<const Api*>(state);
  return guarded(api, [&] { *kernel = std::make_unique<Kernel>(provider_of(api, info), info).release(); });
}

}  // namespace strew::ort
