// Tensors of torch as views of Strew, and where results go.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "calls.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::aten {

using at::Tensor;

std::optional<DType> dtype_of(const Tensor& tensor);

/// Whether Strew can read it: dense in torch's sense (no sparse tensor), on the CPU, of rank 1 or more and of a
/// type that Strew has.
Outcome readable(const Tensor& tensor);

/// Whether it holds index values: int64, or int32 unless `only_long`. Of any rank.
bool holds_indices(const Tensor& tensor, bool only_long = false);

/// That of "sum", "prod", "amax", "amin" or "mean".
std::optional<Reduction> reduction_of(std::string_view reduce);

/// Whether sums of these are kept by some kernels of torch in a wider type: float16 and bfloat16.
bool is_half(const Tensor& tensor);

/// `dim` from 0 on; nothing where the tensor has no such axis.
std::optional<std::int64_t> axis_of(std::int64_t dim, const Tensor& tensor);

std::int64_t product(const std::int64_t* begin, const std::int64_t* end);

/// The sizes and strides of a tensor, which may be moved and repeated before they become a view.
struct Axes {
  Shape sizes;
  Shape strides;

  Axes() = default;
  explicit Axes(const Tensor& tensor);
  std::int64_t rank() const noexcept { return sizes.rank(); }
  void push_back(std::int64_t size, std::int64_t stride);
  /// The axis becomes the first, all others keep their order.
  void move_to_front(std::int64_t axis);
  bool dense() const;
};

/// One element for every position of a tensor of these sizes.
Axes repeated(at::IntArrayRef sizes);

/// The tensor must be `readable`, or hold indices.
TensorView view(const Tensor& tensor, const Axes& axes);
inline TensorView view(const Tensor& tensor) { return view(tensor, Axes(tensor)); }
MutableTensorView writable(const Tensor& tensor, const Axes& axes);

/// Uninitialised, contiguous, in kept memory where install() was told so.
Tensor new_tensor(at::IntArrayRef sizes, at::ScalarType dtype);

/// Where the result of a call goes: into `self` (scatters), into a tensor that the caller gave, or into a new one,
/// which is made once nothing stands in the way.
class Output {
 public:
  Output() = default;
  static Output in_place(const Tensor& self) { return {self, true}; }
  static Output given(const Tensor& out, const Tensor& self) { return {out, out.is_same(self)}; }

  bool is_in_place() const noexcept { return in_place_; }
  bool is_new() const noexcept { return given_ == nullptr; }
  bool is_dense() const { return is_new() || given_->is_contiguous(); }
  /// The tensor to write to, of these sizes and the type of `self`; nullptr where the given one is another or its
  /// elements may overlap.
  const Tensor* prepare(at::IntArrayRef sizes, const Tensor& self);
  /// A new one, of whatever sizes.
  Tensor& made() noexcept { return new_; }
  Tensor take() && { return std::move(new_); }

 private:
  Output(const Tensor& tensor, bool in_place) : given_(&tensor), in_place_(in_place) {}

  const Tensor* given_ = nullptr;  // its caller's
  Tensor new_;
  bool in_place_ = false;
};

/// Why Strew refuses a plan or a call.
Outcome outcome_of(const Error& error) noexcept;

/// Runs a plan on the threads that install() was told.
Outcome run_call(const Plan& plan, const Operands& operands, const MutableTensorView& output, bool output_is_new);

}  // namespace strew::aten
