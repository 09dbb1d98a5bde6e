// The kernel of a node: a plan from the shapes of each run, and that plan run into ONNX Runtime's output.
#include "kernel.h"

#include <mutex>
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

  void compute(OrtKernelContext* context);
  void run_plan(const Plan& plan, const Inputs& tensors, OrtKernelContext* context) const;

  const Api& api;
  const int threads;
  const std::size_t inputs;
  const Parameters parameters;
  /// Along how many of their last axes the indices repeat.
  std::int64_t repeated = 0;
  /// The plan of the last run. Whoever comes while it is in use makes one of its own.
  std::mutex plan_mutex;
  std::optional<Plan> last_plan;
};

const OrtValue* input_value(const Api& api, const OrtKernelContext* context, std::size_t i) {
  const OrtValue* value = nullptr;
  check(api.ort.KernelContext_GetInput(context, i, &value));
  return value;
}

void Kernel::compute(OrtKernelContext* context) {
  Inputs tensors{tensor_of(api, input_value(api, context, 0)), tensor_of(api, input_value(api, context, 1)), {}};
  if (inputs > 2) {
    const OrtValue* third = input_value(api, context, 2);
    if (third != nullptr) tensors.third = tensor_of(api, third);
  }
  const std::unique_lock lock(plan_mutex, std::try_to_lock);
  if (!lock) return run_plan(unwrap(make_plan(parameters, tensors)), tensors, context);
  if (!last_plan || !fits(*last_plan, tensors)) last_plan.emplace(unwrap(make_plan(parameters, tensors)));
  run_plan(*last_plan, tensors, context);
}

void Kernel::run_plan(const Plan& plan, const Inputs& tensors, OrtKernelContext* context) const {
  OrtValue* output = nullptr;
  const Shape& shape = plan.output_shape();
  check(api.ort.KernelContext_GetOutput(context, 0, shape.data(), shape.size(), &output));

  SessionThreads executor(api, context, threads);
  const Options options{.executor = &executor};
  Operands operands = operands_of(plan, tensors, repeated);
  if (plan.dtype() == DType::kString) {
    const std::vector<std::string> data = read_strings(api, input_value(api, context, 0));
    std::vector<std::string> updates;
    std::vector<std::string> result(static_cast<std::size_t>(element_count(shape)));
    operands.data = TensorView(data, plan.data().shape);
    if (plan.op() == OpKind::kTensorScatter) {
      updates = read_strings(api, input_value(api, context, 1));
      operands.updates.emplace(updates, plan.position_shape());
    }
    unwrap(run(plan, operands, MutableTensorView(result, shape), options));
    write_strings(api, result, output);
  } else {
    void* address = nullptr;
    check(api.ort.GetTensorMutableData(output, &address));
    unwrap(run(plan, operands, MutableTensorView(address, plan.dtype(), shape), options));
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
    auto& kernel = *static_cast<Kernel*>(self);
    return guarded(kernel.api, [&] { kernel.compute(context); });
  };
  Release = [](OrtKernelImpl* self) noexcept { delete static_cast<Kernel*>(self); };
  if (std::holds_alternative<ScatterElementsParams>(parameters) ||
      std::holds_alternative<GatherElementsParams>(parameters)) {
    repeated = made_by.repeated_values.reader_made(input_name(api, info, 1));
    const OrtValue* constant = constant_input(api, info, 1);
    if (constant != nullptr) repeated = repeated_axes(tensor_of(api, constant));
  }
}

}  // namespace

OrtStatus* create_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept {
  const Api& api = *static_cast<const Api*>(state);
  return guarded(api, [&] { *kernel = std::make_unique<Kernel>(provider_of(api, info), info).release(); });
}

}  // namespace strew::ort
