// Plans: one per operator call, proved legal from types, shapes and attributes alone; no data is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "strew/call.h"
#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/executor.h"
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
inline Result<Plan> make_gather_plan(const TensorSpec& data, const TensorSpec& indices,
                                     const GatherParams& params = {}) {
  return make_plan(params, data, indices);
}
inline Result<Plan> make_gather_elements_plan(const TensorSpec& data, const TensorSpec& indices,
                                              const GatherElementsParams& params = {}) {
  return make_plan(params, data, indices);
}
inline Result<Plan> make_gather_nd_plan(const TensorSpec& data, const TensorSpec& indices,
                                        const GatherNDParams& params = {}) {
  return make_plan(params, data, indices);
}
inline Result<Plan> make_scatter_elements_plan(const TensorSpec& data, const TensorSpec& indices,
                                               const TensorSpec& updates,
                                               const ScatterElementsParams& params = {}) {
  return make_plan(params, data, indices, updates);
}
inline Result<Plan> make_scatter_nd_plan(const TensorSpec& data, const TensorSpec& indices,
                                         const TensorSpec& updates, const ScatterNDParams& params = {}) {
  return make_plan(params, data, indices, updates);
}
inline Result<Plan> make_tensor_scatter_plan(const TensorSpec& past_cache, const TensorSpec& update,
                                             const std::optional<TensorSpec>& write_indices,
                                             const TensorScatterParams& params = {}) {
  return make_plan(params, past_cache, write_indices, update);
}

/// How the loop of a call is cut into tasks. Every strategy gives the same bits.
enum class StrategyKind : std::uint8_t {
  kSerial,          ///< one task
  kSplitPositions,  ///< tasks own parts of an axis (or of the rows) that no index value moves
  kCopyBlocks,      ///< scatter: as kSplitPositions, copying data block by block and updating each in the cache
  kPartition,       ///< scatter: updates are sorted by blocks of the destination, which tasks own
  kPrivateCopy,     ///< scatter: one task updates a copy of data in the cache, which is then written out
};

/// As "split_positions" for kSplitPositions; and back.
std::string_view strategy_name(StrategyKind kind) noexcept;
std::optional<StrategyKind> strategy_from_name(std::string_view name) noexcept;

class CheckedIndices;

/// How a call is run. Rarely written; results never depend on it.
struct Options {
  /// Who runs the tasks; nullptr stands for `default_executor()`.
  Executor* executor = nullptr;
  /// Report two plain assignments to one place as an error instead of letting the last one win.
  bool reject_duplicates = false;
  /// Use this strategy, or fail with kUnsupported where it does not apply. For tests and measurements.
  std::optional<StrategyKind> force_strategy = std::nullopt;
  /// Bytes of memory that a strategy may work in: one that needs more is passed over for the next best, or refused
  /// where it is forced. docs/design.md says what each needs.
  std::int64_t scratch_limit = std::int64_t{1} << 30;
  /// Nobody needs what is in the output: on an error it may have been written to. Index values are then read once
  /// instead of twice where that pays. An output that is `data` (in place) is never new.
  bool output_is_new = false;
  /// What `check_indices` said of these indices: they are not checked again.
  const CheckedIndices* checked_indices = nullptr;
};

/// What would be done and why.
struct Strategy {
  StrategyKind kind = StrategyKind::kSerial;
  std::int64_t task_count = 1;
  std::string_view reason;  ///< one sentence
};

/// The operands of a plan. `updates` is not used by gathers; `indices` not by a plan without indices.
struct Operands {
  TensorView data;
  std::optional<TensorView> indices = std::nullopt;
  std::optional<TensorView> updates = std::nullopt;
  /// Of a gather with OutOfBounds::kFill: one element of the type of data; left out, zero or the empty string. A
  /// plan that was made with one is refused without.
  std::optional<TensorView> fill_value = std::nullopt;
  /// Of a scatter whose plan was made with one: one element of the type of data.
  std::optional<TensorView> alpha = std::nullopt;
};

/// Runs a plan into `output`, which for a scatter may be `data` itself (in place). Any other overlap of
/// output and operands is refused. All indices are checked before the first write to it; on an
/// error the output is untouched (docs/semantics.md has the exceptions, Options::output_is_new among them). The
/// specs of the operands must be those of the plan.
Status run(const Plan& plan, const Operands& operands, const MutableTensorView& output,
           const Options& options = {});

/// Addresses of dense operands: nullptr where Operands leaves them out.
struct DenseOperands {
  const void* data;
  const void* indices = nullptr;
  const void* updates = nullptr;
  const void* fill_value = nullptr;
  const void* alpha = nullptr;
};

/// The same for operands and an output that are dense and have the types and shapes that the plan was made from,
/// which cannot be checked here: a small call costs no more than its work.
Status run_dense(const Plan& plan, const DenseOperands& operands, void* output, const Options& options = {});

}  // namespace strew
STREW_API_END
