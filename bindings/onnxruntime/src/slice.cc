// Kernel of a Slice that cuts updates to the shape of their indices. It returns them whole; the scatter cuts them.
#include <algorithm>
#include <cstring>

#include "executor.h"
#include "kernel.h"
#include "provider.h"
#include "tensors.h"

namespace strew::ort {
namespace {

// Bytes per task of a copy, if the output has memory of its own.
constexpr std::int64_t kTaskBytes = std::int64_t{1} << 18;

struct SliceKernel : OrtKernelImpl {
  explicit SliceKernel(const Provider& made_by);

  void compute(OrtKernelContext* context) const;

  const Api& api;
  const int threads;
};

// Throws unless there are as many starts as ends, as Slice-13 requires.
void check_ends(const Tensor& starts, const Tensor& ends) {
  if (std::ranges::equal(starts.dims, ends.dims)) return;
  throw Refusal{ORT_INVALID_ARGUMENT, "slice: starts has shape " + to_string(Shape(starts.dims)) +
                                          ", but ends has " + to_string(Shape(ends.dims))};
}

void SliceKernel::compute(OrtKernelContext* context) const {
  const OrtValue* inputs[3] = {};
  for (std::size_t i = 0; i < 3; ++i) check(api.ort.KernelContext_GetInput(context, i, &inputs[i]));
  check_ends(read_tensor(api, inputs[1]), read_tensor(api, inputs[2]));
  const Tensor whole = read_tensor(api, inputs[0]);
  OrtValue* output = nullptr;
  check(api.ort.KernelContext_GetOutput(context, 0, whole.dims.data(), whole.dims.size(), &output));
  void* to = nullptr;
  check(api.ort.GetTensorMutableData(output, &to));
  std::size_t bytes = 0;
  check(api.ort.GetTensorSizeInBytes(inputs[0], &bytes));
  // The registry requests the memory of the input; ONNX Runtime may provide other memory.
  if (to == whole.data || bytes == 0) return;
  SessionThreads executor(api, context, threads);
  const auto count = static_cast<std::int64_t>(bytes);
  run_in_parts(executor, count, count / kTaskBytes, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(whole.data) + begin,
                static_cast<std::size_t>(end - begin));
  });
  executor.check_complete();
}

SliceKernel::SliceKernel(const Provider& made_by)
    : OrtKernelImpl{}, api(made_by.api), threads(made_by.options.threads) {
  ort_version_supported = kApiVersion;
  Compute = [](OrtKernelImpl* self, OrtKernelContext* context) noexcept {
    const auto& kernel = *static_cast<const SliceKernel*>(self);
    return guarded(kernel.api, [&] { kernel.compute(context); });
  };
  Release = [](OrtKernelImpl* self) noexcept { delete static_cast<SliceKernel*>(self); };
}

}  // namespace

OrtStatus* create_slice_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept {
  const Api& api = *static_cast<const Api*>(state);
  return guarded(api, [&] { *kernel = std::make_unique<SliceKernel>(find_provider(api, info)).release(); });
}

}  // namespace strew::ort
