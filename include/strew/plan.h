// Plans: operator calls that were proved legal from types, shapes and attributes alone, without reading a tensor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "strew/call.h"
#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/inline_vector.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew {
struct PlanBuilder;  // not exported
}  // namespace strew

STREW_API_BEGIN
namespace strew {

/// The type and shape of an operand.
struct TensorSpec {
  DType dtype;
  Shape shape;
  TensorSpec(DType element_type, Shape dims) : dtype(element_type), shape(std::move(dims)) {}
  TensorSpec(const TensorView& view) : dtype(view.dtype()), shape(view.shape()) {}
  TensorSpec(const Tensor& tensor) : dtype(tensor.dtype()), shape(tensor.shape()) {}
};

/// A legal call of one operator. Only `make_plan` creates plans, so the members are consistent and no size
/// overflows.
class Plan {
 public:
  /// The parameters, with a non-negative axis (if the operator has one), and without `fill_value` and `alpha`.
  const CallParams& params() const noexcept { return params_; }
  OpKind op() const noexcept { return params_.op; }
  bool is_scatter() const noexcept { return op() >= OpKind::kScatterElements; }
  DType dtype() const noexcept { return data_.dtype; }
  Reduction reduction() const noexcept { return params_.reduction; }
  bool include_self() const noexcept { return params_.include_self; }
  AccDType acc_dtype() const noexcept { return params_.acc_dtype; }
  /// The factor for updates, in the plan's memory; nullopt if the plan has none.
  bool has_alpha() const noexcept { return has_alpha_; }
  std::optional<TensorView> alpha() const;
  /// The fill value, in the plan's memory; nullopt if the plan has none.
  bool has_fill_value() const noexcept { return has_fill_value_; }
  std::optional<TensorView> fill_value() const;
  WriteMode mode() const noexcept { return params_.mode; }
  const IndexRules& rules() const noexcept { return params_.rules; }
  const TensorSpec& data() const noexcept { return data_; }
  const TensorSpec& indices() const noexcept { return indices_; }
  /// True if `indices` is an operand; false only for TensorScatter without write_indices.
  bool has_indices() const noexcept { return has_indices_; }
  /// Shape of the updates of a scatter, or of the output of a gather.
  const Shape& position_shape() const noexcept { return position_shape_; }
  const Shape& output_shape() const noexcept { return is_scatter() ? data_.shape : position_shape_; }
  TensorSpec output() const { return {data_.dtype, output_shape()}; }
  /// The axes of `data` that index values address, first tuple component first.
  const Shape& indexed_axes() const noexcept { return indexed_axes_; }
  /// True if the last axis of `indices` runs over the tuple components (GatherND, ScatterND).
  bool tuples() const noexcept { return tuples_; }
  /// True if each position has its own index (GatherElements, ScatterElements).
  bool by_elements() const noexcept { return op() == OpKind::kGatherElements || op() == OpKind::kScatterElements; }
  /// Numbers of elements of data, of a tensor with `position_shape`, and of indices.
  std::int64_t data_count() const noexcept { return data_count_; }
  std::int64_t position_count() const noexcept { return position_count_; }
  std::int64_t index_count() const noexcept { return index_count_; }

 private:
  friend struct PlanBuilder;

  class Key {  // lets only PlanBuilder create plans
    friend struct PlanBuilder;
    explicit Key() = default;
  };
  // One axis of the row-major loop over positions, and the axis of each operand along which it runs, or -1.
  // `position_axis` is an axis of the output of a gather or of the updates of a scatter.
  struct LoopAxis {
    std::int64_t extent;
    std::int64_t data_axis;
    std::int64_t position_axis;
    std::int64_t index_axis;
  };
  using LoopAxes = detail::InlineVector<LoopAxis, 8>;
  // The contiguous rows of dense data that positions address; `count` is 0 if the fast path takes no calls.
  struct Rows {
    std::int64_t count = 0;
    std::int64_t length = 0;
    bool small_with_copy = false;  // the fast path may also take calls that first copy data to another output
  };
  friend const LoopAxes& loop_of(const Plan& plan) noexcept { return plan.loop_; }
  friend const Rows& rows_of(const Plan& plan) noexcept { return plan.rows_; }
  // True for a mean, and for a reduction that excludes the value in data, scales updates or accumulates in a wider
  // type.
  friend bool needs_fold(const Plan& plan) noexcept { return plan.needs_fold_; }

 public:
  /// For `make_plan` only.
  Plan(Key, const CallParams& params, const TensorSpec& data, const TensorSpec& indices)
      : params_(params), data_(data), indices_(indices) {
    params_.fill_value.reset();
    params_.alpha.reset();
  }

 private:
  CallParams params_;
  bool has_alpha_ = false;
  bool has_fill_value_ = false;
  bool has_indices_ = true;
  bool tuples_ = false;
  bool needs_fold_ = false;
  TensorSpec data_;
  TensorSpec indices_;
  Shape position_shape_;
  Shape indexed_axes_;
  LoopAxes loop_;
  std::int64_t data_count_ = 0;
  std::int64_t position_count_ = 0;
  std::int64_t index_count_ = 0;
  Rows rows_;
  // The fill_value of a gather or the alpha of a scatter; strings are in `string_`.
  alignas(16) std::array<std::byte, 16> scalar_{};
  std::shared_ptr<const std::string> string_;
};

/// Returns the plan of a call with operands of these types and shapes. For TensorScatter, `data` is past_cache,
/// `indices` is write_indices (zeros if absent) and `updates` is update; a gather has no updates. Errors:
/// kInvalidArgument, kInvalidType, kUnsupported. Output shapes:
///   Gather           data.shape[:axis] ++ indices.shape ++ data.shape[axis+1:]
///   GatherElements   indices.shape, which is at most data.shape on all axes except `axis`
///   GatherND         indices.shape[:-1] ++ data.shape[batch_dims + indices.shape[-1]:]
///   ScatterElements  data.shape; updates.shape equals indices.shape
///   ScatterND        data.shape; updates.shape equals indices.shape[:-1] ++ data.shape[indices.shape[-1]:]
///   TensorScatter    past_cache.shape; write_indices has shape [batch]
[[nodiscard]] Result<Plan> make_plan(const CallParams& params, const TensorSpec& data,
                                     const std::optional<TensorSpec>& indices,
                                     const std::optional<TensorSpec>& updates = std::nullopt);

[[nodiscard]] inline Result<Plan> make_gather_plan(const TensorSpec& data, const TensorSpec& indices,
                                                   const CallParams& params = {}) {
  return make_plan(params.with_op(OpKind::kGather), data, indices);
}
[[nodiscard]] inline Result<Plan> make_gather_elements_plan(const TensorSpec& data, const TensorSpec& indices,
                                                            const CallParams& params = {}) {
  return make_plan(params.with_op(OpKind::kGatherElements), data, indices);
}
[[nodiscard]] inline Result<Plan> make_gather_nd_plan(const TensorSpec& data, const TensorSpec& indices,
                                                      const CallParams& params = {}) {
  return make_plan(params.with_op(OpKind::kGatherND), data, indices);
}
[[nodiscard]] inline Result<Plan> make_scatter_elements_plan(const TensorSpec& data, const TensorSpec& indices,
                                                             const TensorSpec& updates,
                                                             const CallParams& params = {}) {
  return make_plan(params.with_op(OpKind::kScatterElements), data, indices, updates);
}
[[nodiscard]] inline Result<Plan> make_scatter_nd_plan(const TensorSpec& data, const TensorSpec& indices,
                                                       const TensorSpec& updates, const CallParams& params = {}) {
  return make_plan(params.with_op(OpKind::kScatterND), data, indices, updates);
}
[[nodiscard]] inline Result<Plan> make_tensor_scatter_plan(
    const TensorSpec& past_cache, const TensorSpec& update,
    const std::optional<TensorSpec>& write_indices = std::nullopt, const CallParams& params = {}) {
  return make_plan(params.with_op(OpKind::kTensorScatter), past_cache, write_indices, update);
}

}  // namespace strew
STREW_API_END
