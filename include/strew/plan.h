// Plans: one per operator call, proved legal from types, shapes and attributes alone; no data is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strew/call.h"
#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/inline_vector.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew {
class PlanBuilder;  // not exported

namespace detail {
/// Whoever has one may make a Plan.
class PlanKey {
  friend class strew::PlanBuilder;
  PlanKey() = default;
};
}  // namespace detail
}  // namespace strew

STREW_API_BEGIN
namespace strew {

/// Type and shape of an operand: all that a plan needs to know of it.
struct TensorSpec {
  DType dtype;
  Shape shape;
  TensorSpec(DType element_type, Shape dims) : dtype(element_type), shape(std::move(dims)) {}
  TensorSpec(const TensorView& view) : dtype(view.dtype()), shape(view.shape()) {}
  TensorSpec(const Tensor& tensor) : dtype(tensor.dtype()), shape(tensor.shape()) {}
};

/// One axis of the loop over positions, in row-major order. It says which axis of each operand moves along
/// with it; -1 where none does. The position operand is the output of a gather and the updates of a scatter.
struct LoopAxis {
  std::int64_t extent;
  std::int64_t data_axis;
  std::int64_t position_axis;
  std::int64_t index_axis;
};

using LoopAxes = detail::InlineVector<LoopAxis, 8>;

/// A legal call of one operator. Only `make_plan` makes one, so whoever holds a plan knows
/// that ranks, shapes, types, attributes and sizes agree and that no product overflows.
class Plan {
 public:
  /// What it was made with, its axis (if the operator has one) not negative, and without `fill_value` and `alpha`.
  const CallParams& params() const noexcept { return params_; }
  OpKind op() const noexcept { return params_.op; }
  bool is_scatter() const noexcept { return op() >= OpKind::kScatterElements; }
  /// GatherElements and ScatterElements: an index for each element.
  bool by_elements() const noexcept { return op() == OpKind::kGatherElements || op() == OpKind::kScatterElements; }
  DType dtype() const noexcept { return data_.dtype; }
  Reduction reduction() const noexcept { return params_.reduction; }
  bool include_self() const noexcept { return params_.include_self; }
  Accumulate accumulate() const noexcept { return params_.accumulate; }
  /// Whether updates are multiplied by an alpha.
  bool scales() const noexcept { return scales_; }
  /// Whether the plan was made with a fill_value.
  bool has_fill_value() const noexcept { return has_fill_value_; }
  WriteMode mode() const noexcept { return params_.mode; }
  const IndexRules& rules() const noexcept { return params_.rules; }
  const TensorSpec& data() const noexcept { return data_; }
  const TensorSpec& indices() const noexcept { return indices_; }
  /// Whether `indices` is an operand; false only for TensorScatter without write_indices.
  bool has_indices() const noexcept { return has_indices_; }
  /// Shape of the updates of a scatter, or of the output of a gather.
  const Shape& position_shape() const noexcept { return position_shape_; }
  const Shape& output_shape() const noexcept { return is_scatter() ? data_.shape : position_shape_; }
  TensorSpec output() const { return {data_.dtype, output_shape()}; }
  /// The axes of `data` that index values choose a position on, first tuple component first.
  const Shape& indexed_axes() const noexcept { return indexed_axes_; }
  /// True if the last axis of `indices` runs over the tuple components (GatherND, ScatterND).
  bool tuples() const noexcept { return tuples_; }
  const LoopAxes& loop() const noexcept { return loop_; }
  /// Elements of data, of the positions and of indices.
  std::int64_t data_count() const noexcept { return data_count_; }
  std::int64_t position_count() const noexcept { return position_count_; }
  std::int64_t index_count() const noexcept { return index_count_; }
  /// How many rows index tuples choose, where nothing else moves in `data`: then tuple i is the i-th group of
  /// indices and chooses along the leading axes, and a row is what lies behind those. -1 for any other plan.
  std::int64_t row_count() const noexcept { return row_count_; }

  /// `make_plan` makes one.
  Plan(detail::PlanKey, const CallParams& params, const TensorSpec& data, const TensorSpec& indices)
      : params_(params), data_(data), indices_(indices) {
    params_.fill_value.reset();
    params_.alpha.reset();
  }

 private:
  friend class PlanBuilder;

  CallParams params_;
  bool scales_ = false;
  bool has_fill_value_ = false;
  bool has_indices_ = true;
  bool tuples_ = false;
  TensorSpec data_;
  TensorSpec indices_;
  Shape position_shape_;
  Shape indexed_axes_;
  LoopAxes loop_;
  std::int64_t data_count_ = 0;
  std::int64_t position_count_ = 0;
  std::int64_t index_count_ = 0;
  std::int64_t row_count_ = -1;
};

/// The plan of a call with operands of these types and shapes. For TensorScatter `data` is past_cache, `indices`
/// write_indices, which may be left out (all zero), and `updates` is update; a gather has no updates. Outputs:
///   Gather           data.shape[:axis] ++ indices.shape ++ data.shape[axis+1:]
///   GatherElements   indices.shape, whose dimensions off the axis may not pass those of data
///   GatherND         indices.shape[:-1] ++ data.shape[batch_dims + indices.shape[-1]:]
///   ScatterElements  data.shape; updates.shape equals indices.shape
///   ScatterND        data.shape; updates.shape equals indices.shape[:-1] ++ data.shape[indices.shape[-1]:]
///   TensorScatter    past_cache.shape; write_indices has shape [batch]
[[nodiscard]] Result<Plan> make_plan(const CallParams& params, const TensorSpec& data,
                                     const std::optional<TensorSpec>& indices,
                                     const std::optional<TensorSpec>& updates = std::nullopt);

// The same under the operators' names.
[[nodiscard]] inline Result<Plan> make_gather_plan(const TensorSpec& data, const TensorSpec& indices,
                                                   const GatherParams& params = {}) {
  return make_plan(params, data, indices);
}
[[nodiscard]] inline Result<Plan> make_gather_elements_plan(const TensorSpec& data, const TensorSpec& indices,
                                                            const GatherElementsParams& params = {}) {
  return make_plan(params, data, indices);
}
[[nodiscard]] inline Result<Plan> make_gather_nd_plan(const TensorSpec& data, const TensorSpec& indices,
                                                      const GatherNDParams& params = {}) {
  return make_plan(params, data, indices);
}
[[nodiscard]] inline Result<Plan> make_scatter_elements_plan(const TensorSpec& data, const TensorSpec& indices,
                                                             const TensorSpec& updates,
                                                             const ScatterElementsParams& params = {}) {
  return make_plan(params, data, indices, updates);
}
[[nodiscard]] inline Result<Plan> make_scatter_nd_plan(const TensorSpec& data, const TensorSpec& indices,
                                                       const TensorSpec& updates,
                                                       const ScatterNDParams& params = {}) {
  return make_plan(params, data, indices, updates);
}
[[nodiscard]] inline Result<Plan> make_tensor_scatter_plan(
    const TensorSpec& past_cache, const TensorSpec& update,
    const std::optional<TensorSpec>& write_indices = std::nullopt, const TensorScatterParams& params = {}) {
  return make_plan(params, past_cache, write_indices, update);
}

}  // namespace strew
STREW_API_END
