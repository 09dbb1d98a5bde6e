#include "expand.h"

#include <algorithm>

#include "kernel_info.h"
#include "provider.h"
#include "tensors.h"

namespace strew::ort {
namespace {

struct ExpandKernel : OrtKernelImpl {
  ExpandKernel(Provider& made_by, const OrtKernelInfo* info);

  void compute(OrtKernelContext* context) const;

  const Provider& provider;
  const std::string output;
  const std::int64_t repeated;
};

// Reads the values of a shape tensor.
Shape shape_in(const TensorView& tensor) {
  return Shape(std::span(static_cast<const std::int64_t*>(tensor.data()),
                         static_cast<std::size_t>(element_count(tensor.shape()))));
}

// Throws unless the last axes have one element each, as the graph declares: readers of the output rely on that.
void check_repetition(const Shape& from, std::int64_t repeated) {
  bool as_declared = from.rank() >= repeated;
  for (std::int64_t axis = 1; as_declared && axis <= repeated; ++axis) as_declared = from[from.rank() - axis] == 1;
  if (as_declared) return;
  throw Refusal{ORT_INVALID_ARGUMENT, "expand: input has shape " + to_string(from) +
                                          ", but the model declares that the last of its axes, " +
                                          std::to_string(repeated) + " of them, have one element"};
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

void ExpandKernel::compute(OrtKernelContext* context) const {
  const Api& api = provider.api;
  const OrtValue* inputs[2] = {};
  for (std::size_t i = 0; i < 2; ++i) check(api.ort.KernelContext_GetInput(context, i, &inputs[i]));
  const TensorView from = read_tensor(api, inputs[0]).view();
  check_repetition(from.shape(), repeated);
  const Shape shape = broadcast("expand", from.shape(), shape_in(read_tensor(api, inputs[1]).view()));
  OrtValue* value = nullptr;
  check(api.ort.KernelContext_GetOutput(context, 0, shape.data(), static_cast<std::size_t>(shape.rank()), &value));
  if (element_count(shape) == 0) return;
  void* to = nullptr;
  check(api.ort.GetTensorMutableData(value, &to));

  const std::int64_t skipped = provider.repeated_values.all_readers_agree(output) ? repeated : 0;
  const Shape strides = broadcast_strides(from.shape(), shape);
  if (from.dtype() == DType::kInt64) {
    write_expanded(static_cast<const std::int64_t*>(from.data()), strides, static_cast<std::int64_t*>(to), shape,
                   skipped);
  } else {
    write_expanded(static_cast<const std::int32_t*>(from.data()), strides, static_cast<std::int32_t*>(to), shape,
                   skipped);
  }
}

ExpandKernel::ExpandKernel(Provider& made_by, const OrtKernelInfo* info)
    : OrtKernelImpl{},
      provider(made_by),
      output(output_name(made_by.api, info, 0)),
      repeated(made_by.repeated_values.writer_made(output)) {
  ort_version_supported = kApiVersion;
  Compute = [](OrtKernelImpl* self, OrtKernelContext* context) noexcept {
    const auto& kernel = *static_cast<const ExpandKernel*>(self);
    return guarded(kernel.provider.api, [&] { kernel.compute(context); });
  };
  Release = [](OrtKernelImpl* self) noexcept { delete static_cast<ExpandKernel*>(self); };
}

}  // namespace

Shape broadcast(std::string_view op, const Shape& from, const Shape& wanted) {
  const std::int64_t rank = std::max(from.rank(), wanted.rank());
  Shape shape;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const std::int64_t in_from = axis - rank + from.rank();
    const std::int64_t in_wanted = axis - rank + wanted.rank();
    const std::int64_t a = in_from < 0 ? 1 : from[in_from];
    const std::int64_t b = in_wanted < 0 ? 1 : wanted[in_wanted];
    if (b < 0 || (a != b && a != 1 && b != 1)) {
      throw Refusal{ORT_INVALID_ARGUMENT, std::string(op) + ": input of shape " + to_string(from) +
                                              " does not broadcast to shape " + to_string(wanted)};
    }
    shape.push_back(a == 1 ? b : a);
  }
  return shape;
}

Shape broadcast_strides(const Shape& from, const Shape& shape) {
  const Shape dense = dense_strides(from);
  Shape strides;
  for (std::int64_t axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t in_from = axis - shape.rank() + from.rank();
    strides.push_back(in_from < 0 || from[in_from] == 1 ? 0 : dense[in_from]);
  }
  return strides;
}

OrtStatus* create_expand_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept {
  const Api& api = *static_cast<const Api*>(state);
  return guarded(api, [&] { *kernel = std::make_unique<ExpandKernel>(find_provider(api, info), info).release(); });
}

}  // namespace strew::ort
