// Converts torch tensors to Strew views, and allocates results.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/accumulate.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "calls.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::aten {

using at::Tensor;
using c10::multiply_integers;

std::optional<DType> dtype_of(const Tensor& tensor);

/// Returns kTaken if Strew can read the tensor: strided, on the CPU, of rank 1 or more and of a supported type.
Outcome readable(const Tensor& tensor);

/// True if the tensor, of any rank, holds index values: int64, or int32 unless `only_long`.
bool holds_indices(const Tensor& tensor, bool only_long = false);

/// Returns the reduction named "sum", "prod", "amax", "amin" or "mean".
std::optional<Reduction> parse_reduction(std::string_view reduce);

/// True for float16 and bfloat16, whose sums some kernels of torch compute in a wider type.
bool is_half(const Tensor& tensor);

/// Returns `dim` counted from the front; nullopt if the tensor has no such axis.
std::optional<std::int64_t> axis_of(std::int64_t dim, const Tensor& tensor);

/// The sizes and strides of a tensor, which may be permuted and broadcast before they become a view.
struct Axes {
  Shape sizes;
  Shape strides;

  Axes() = default;
  explicit Axes(const Tensor& tensor);
  std::int64_t rank() const noexcept { return sizes.rank(); }
  void push_back(std::int64_t size, std::int64_t stride);
  /// Moves the axis to the front; the others keep their order.
  void move_to_front(std::int64_t axis);
  bool dense() const;
};

/// Returns the axes of one element that is broadcast to these sizes.
Axes repeated(at::IntArrayRef sizes);

/// Returns a view; the tensor must be `readable`, or hold indices.
TensorView view(const Tensor& tensor, const Axes& axes);
inline TensorView view(const Tensor& tensor) { return view(tensor, Axes(tensor)); }
MutableTensorView writable(const Tensor& tensor, const Axes& axes);

/// Allocates an uninitialised contiguous tensor, from the cache of memory if install() enabled this cache.
Tensor new_tensor(at::IntArrayRef sizes, at::ScalarType dtype);

/// The destination of a call: `self` (in place), the caller's `out`, or a new tensor, allocated after all checks.
class Output {
 public:
  Output() = default;
  explicit Output(const Tensor& given) : given_(&given) {}

  bool is_new() const noexcept { return given_ == nullptr; }
  bool is_dense() const { return is_new() || given_->is_contiguous(); }
  /// Returns the tensor to write to; nullptr if the caller's tensor is not `readable`, does not have these sizes
  /// and the type of `self`, or has overlapping elements.
  const Tensor* prepare(at::IntArrayRef sizes, const Tensor& self);
  /// The new tensor, for a call that allocates it without prepare().
  Tensor& allocated() noexcept { return new_; }
  Tensor take() && { return std::move(new_); }

 private:
  const Tensor* given_ = nullptr;  // owned by the caller
  Tensor new_;
};

/// Returns the reason why Strew rejects a plan or a call.
Outcome outcome_of(const Error& error) noexcept;

/// Runs a plan on the threads chosen by install().
Outcome run_call(const Plan& plan, const Operands& operands, const MutableTensorView& output, bool output_is_new);

}  // namespace strew::aten
