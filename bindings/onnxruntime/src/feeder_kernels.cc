// Kernels of nodes that feed scatters and gathers: an Expand of indices, and a Slice of updates.
#include <algorithm>
#include <cstring>

#include "executor.h"
#include "kernel.h"
#include "tensors.h"

namespace strew::ort {
namespace {

// Kernel of an Expand whose output Strew reads as indices. Writes only the elements that the readers need.
struct ExpandKernel : NodeKernel {
  ExpandKernel(Provider& made_by, const OrtKernelInfo* info)
      : NodeKernel(made_by),
        provider(made_by),
        output(output_name(made_by.api, info, 0)),
        repeated(made_by.repeated_values.writer_made(output)) {}

  void compute(OrtKernelContext* context) override;

  const Provider& provider;
  const std::string output;
  const std::int64_t repeated;
};

// Throws unless the input has length 1 along its last `repeated` axes: readers of the output rely on it.
void check_repetition(const Shape& from, std::int64_t repeated) {
  bool as_declared = from.rank() >= repeated;
  for (std::int64_t axis = 1; as_declared && axis <= repeated; ++axis) as_declared = from[from.rank() - axis] == 1;
  if (as_declared) return;
  throw Refusal{ORT_INVALID_ARGUMENT, "expand: input has shape " + to_string(from) +
                                          ", but the model declares length 1 along the last " +
                                          std::to_string(repeated) + " axes"};
}

// Writes the elements whose last `skipped` coordinates are 0.
template <class T>
void write_expanded(const T* from, const Shape& from_strides, T* to, const Shape& shape, std::int64_t skipped) {
  const Shape to_strides = dense_strides(shape);
  const std::int64_t rank = shape.rank() - skipped;
  if (rank == 0) {
    *to = *from;
    return;
  }
  const std::int64_t last = rank - 1;
  Shape at(std::vector<std::int64_t>(static_cast<std::size_t>(last), 0));
  for (;;) {
    std::int64_t source = 0;
    std::int64_t target = 0;
    for (std::int64_t axis = 0; axis < last; ++axis) {
      source += at[axis] * from_strides[axis];
      target += at[axis] * to_strides[axis];
    }
    for (std::int64_t i = 0; i < shape[last]; ++i) {
      to[target + i * to_strides[last]] = from[source + i * from_strides[last]];
    }
    std::int64_t axis = last - 1;
    while (axis >= 0 && ++at[axis] == shape[axis]) at[axis--] = 0;
    if (axis < 0) return;
  }
}

void ExpandKernel::compute(OrtKernelContext* context) {
  const TensorView from = read_tensor(api, input_value(api, context, 0)).view();
  check_repetition(from.shape(), repeated);
  const Shape shape = broadcast("expand", from.shape(), shape_in(read_tensor(api, input_value(api, context, 1))));
  OrtValue* const value = output_value(api, context, shape);
  if (element_count(shape) == 0) return;
  void* const to = address_of(api, value);

  const std::int64_t skipped = provider.repeated_values.all_readers_agree(output) ? repeated : 0;
  const Shape strides = broadcast_strides(from.shape(), shape);
  const auto write = [&]<class T>(T) {
    write_expanded(static_cast<const T*>(from.data()), strides, static_cast<T*>(to), shape, skipped);
  };
  from.dtype() == DType::kInt64 ? write(std::int64_t{}) : write(std::int32_t{});
}

// Kernel of a Slice that cuts updates to the shape of their indices. Returns its input; the scatter cuts it.
struct SliceKernel : NodeKernel {
  SliceKernel(const Provider& made_by, const OrtKernelInfo*)
      : NodeKernel(made_by), threads(made_by.options.threads) {}

  void compute(OrtKernelContext* context) override;

  const int threads;
};

// Throws unless `starts` and `ends` have the same shape, as Slice-13 requires.
void check_ends(const Tensor& starts, const Tensor& ends) {
  if (std::ranges::equal(starts.dims, ends.dims)) return;
  throw Refusal{ORT_INVALID_ARGUMENT, "slice: starts has shape " + to_string(Shape(starts.dims)) +
                                          ", but ends has " + to_string(Shape(ends.dims))};
}

void SliceKernel::compute(OrtKernelContext* context) {
  const OrtValue* const updates = input_value(api, context, 0);
  check_ends(read_tensor(api, input_value(api, context, 1)), read_tensor(api, input_value(api, context, 2)));
  const Tensor whole = read_tensor(api, updates);
  void* const to = address_of(api, output_value(api, context, Shape(whole.dims)));
  const auto bytes = fetch<std::size_t>(api.ort.GetTensorSizeInBytes, updates);
  // The registry requests the input's memory for the output, but ONNX Runtime may provide other memory.
  if (to == whole.data || bytes == 0) return;
  SessionThreads executor(api, context, threads);
  const auto count = static_cast<std::int64_t>(bytes);
  run_in_parts(executor, count, count / kTaskBytes, [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(whole.data) + begin,
                static_cast<std::size_t>(end - begin));
  });
  executor.check_complete();
}

}  // namespace

OrtStatus* create_expand_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept {
  return create<ExpandKernel>(state, info, kernel);
}

OrtStatus* create_slice_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept {
  return create<SliceKernel>(state, info, kernel);
}

}  // namespace strew::ort
