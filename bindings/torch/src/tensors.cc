#include "tensors.h"

#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <array>

#include "resources.h"
#include "thresholds.h"

namespace strew::aten {

std::optional<DType> dtype_of(const Tensor& tensor) {
  static constexpr auto kTypes = [] {
    std::array<std::optional<DType>, static_cast<std::size_t>(at::ScalarType::NumOptions)> types{};
    const auto set = [&](at::ScalarType type, DType dtype) { types[static_cast<std::size_t>(type)] = dtype; };
    set(at::kFloat, DType::kFloat32);
    set(at::kDouble, DType::kFloat64);
    set(at::kHalf, DType::kFloat16);
    set(at::kBFloat16, DType::kBFloat16);
    set(at::kLong, DType::kInt64);
    set(at::kInt, DType::kInt32);
    set(at::kShort, DType::kInt16);
    set(at::kChar, DType::kInt8);
    set(at::kByte, DType::kUInt8);
    set(at::kBool, DType::kBool);
    set(at::kComplexFloat, DType::kComplex64);
    set(at::kComplexDouble, DType::kComplex128);
    return types;
  }();
  return kTypes[static_cast<std::size_t>(tensor.scalar_type())];
}

Outcome readable(const Tensor& tensor) {
  if (tensor.layout() != at::kStrided || !tensor.device().is_cpu()) return Outcome::kLayout;
  if (tensor.dim() == 0) return Outcome::kRankZero;
  return dtype_of(tensor) ? Outcome::kTaken : Outcome::kDType;
}

bool holds_indices(const Tensor& tensor, bool only_long) {
  return (tensor.scalar_type() == at::kLong || (tensor.scalar_type() == at::kInt && !only_long)) &&
         tensor.layout() == at::kStrided && tensor.device().is_cpu();
}

bool is_half(const Tensor& tensor) {
  return tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16;
}

std::optional<Reduction> parse_reduction(std::string_view reduce) {
  if (reduce == "sum") return Reduction::kAdd;
  if (reduce == "prod") return Reduction::kMul;
  if (reduce == "amax") return Reduction::kMax;
  if (reduce == "amin") return Reduction::kMin;
  if (reduce == "mean") return Reduction::kMean;
  return std::nullopt;
}

std::optional<std::int64_t> axis_of(std::int64_t dim, const Tensor& tensor) {
  if (dim < -tensor.dim() || dim >= tensor.dim()) return std::nullopt;
  return dim < 0 ? dim + tensor.dim() : dim;
}

Axes::Axes(const Tensor& tensor) {
  for (std::int64_t axis = 0; axis < tensor.dim(); ++axis) push_back(tensor.size(axis), tensor.stride(axis));
}

void Axes::push_back(std::int64_t size, std::int64_t stride) {
  sizes.push_back(size);
  strides.push_back(stride);
}

void Axes::move_to_front(std::int64_t axis) {
  for (; axis > 0; --axis) {
    std::swap(sizes[axis], sizes[axis - 1]);
    std::swap(strides[axis], strides[axis - 1]);
  }
}

bool Axes::dense() const {
  std::int64_t step = 1;
  for (std::int64_t axis = rank() - 1; axis >= 0; --axis) {
    if (sizes[axis] != 1 && strides[axis] != step) return false;
    step *= sizes[axis];
  }
  return true;
}

Axes repeated(at::IntArrayRef sizes) {
  Axes axes;
  for (const std::int64_t size : sizes) axes.push_back(size, 0);
  return axes;
}

TensorView view(const Tensor& tensor, const Axes& axes) {
  const void* data = tensor.const_data_ptr();
  return axes.dense() ? TensorView(data, *dtype_of(tensor), axes.sizes)
                      : TensorView(data, *dtype_of(tensor), axes.sizes, axes.strides);
}

MutableTensorView writable(const Tensor& tensor, const Axes& axes) {
  void* data = tensor.mutable_data_ptr();
  return axes.dense() ? MutableTensorView(data, *dtype_of(tensor), axes.sizes)
                      : MutableTensorView(data, *dtype_of(tensor), axes.sizes, axes.strides);
}

Tensor new_tensor(at::IntArrayRef sizes, at::ScalarType dtype) {
  c10::Allocator* memory = settings.keep_outputs ? &kept_memory() : c10::GetCPUAllocator();
  return Tensor(
      at::detail::empty_generic(sizes, memory, c10::DispatchKeySet(c10::DispatchKey::CPU), dtype, std::nullopt));
}

const Tensor* Output::prepare(at::IntArrayRef sizes, const Tensor& self) {
  if (given_ == nullptr) {
    new_ = new_tensor(sizes, self.scalar_type());
    return &new_;
  }
  if (given_->sizes() != sizes || given_->scalar_type() != self.scalar_type() ||
      readable(*given_) != Outcome::kTaken || at::has_internal_overlap(*given_) == at::MemOverlap::Yes) {
    return nullptr;
  }
  return given_;
}

Outcome outcome_of(const Error& error) noexcept {
  if (error.code == ErrorCode::kIndexOutOfRange) return Outcome::kIndexRange;
  if (error.code == ErrorCode::kInvalidType) return Outcome::kDType;
  return error.code == ErrorCode::kInvalidArgument ? Outcome::kShapes : Outcome::kRefused;
}

Outcome run_call(const Plan& plan, const Operands& operands, const MutableTensorView& output, bool output_is_new) {
  const bool all = output_is_new || !operands.updates;
  const std::int64_t elements = std::max(all ? element_count(output.shape()) : 0,
                                         operands.updates ? element_count(operands.updates->shape()) : 0);
  Options options;
  options.executor = executor_for(elements);
  options.promises.output_is_new = output_is_new;
  const Status status = run(plan, operands, output, options);
  return status ? Outcome::kTaken : outcome_of(status.error());
}

}  // namespace strew::aten
