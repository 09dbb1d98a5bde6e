// PlanBuilder: the rules that several operators share, and the only maker of plans. No data is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strew/error.h"
#include "strew/plan.h"

namespace strew {

/// What the parameters of scatters have in common.
struct ReductionParams {
  Reduction reduction;
  bool include_self;
  Accumulate accumulate;
  const std::optional<TensorView>& alpha;
};

/// Collects the geometry of one call. Each `check_` returns the first rule broken; each `add_` presumes that
/// the checks of its operands passed.
class PlanBuilder {
 public:
  PlanBuilder(OpKind op, const TensorSpec& data, const TensorSpec& indices) : plan_(op, data, indices) {}

  /// "scatter_nd"
  std::string_view op() const noexcept { return op_name(plan_.op()); }

  /// Rank, dimensions and size of one operand. `operand` is its name in messages.
  Status check_operand(std::string_view operand, const TensorSpec& spec, std::int64_t lowest_rank) const;
  /// `data` of rank 1 or more and `indices` of an integer type and at least `lowest_index_rank`.
  Status check_data_and_indices(std::int64_t lowest_index_rank) const;
  /// `updates` has the type of data and exactly this shape; `rule` says where the shape comes from.
  Status check_updates(const TensorSpec& updates, const Shape& expected, std::string_view rule) const;
  /// Takes a reduction that has a meaning for the type of data, and how it is computed.
  Status set_reduction(const ReductionParams& params);
  /// An axis in [-rank, rank - 1], made non-negative.
  Result<std::int64_t> check_axis(std::int64_t axis, std::int64_t rank, std::string_view operand,
                                  const Shape& shape) const;

  /// GatherElements and ScatterElements: every axis of indices is one of data and one of the positions.
  /// Refuses indices that are longer than data off the axis.
  Status add_elements(std::int64_t axis);
  /// GatherND and ScatterND: batch axes, tuples, then the slice that a tuple chooses. Refuses tuples that are
  /// too long. Sets the position shape.
  Status add_tuples(std::int64_t batch_dims, std::int64_t shortest_tuple);

  void add_loop(LoopAxis axis) { plan_.loop_.push_back(axis); }
  void add_indexed_axis(std::int64_t axis) { plan_.indexed_axes_.push_back(axis); }
  void set_position_shape(Shape shape) { plan_.position_shape_ = std::move(shape); }
  /// Takes rules that the operator can follow, with a fill value of the type of data where one is asked for.
  Status set_rules(const IndexRules& rules, const std::optional<TensorView>& fill_value = std::nullopt);
  void set_mode(WriteMode mode) { plan_.mode_ = mode; }
  void set_no_indices() { plan_.has_indices_ = false; }
  const Shape& position_shape() const noexcept { return plan_.position_shape_; }

  /// The plan, if its output can exist.
  Result<Plan> build();

 private:
  // Plan::row_count.
  std::int64_t count_rows() const noexcept;
  std::string operand_name(std::string_view operand) const;
  // What a caller meant who gave indices of rank 1 an update each; or nothing.
  std::string one_tuple_hint(const Shape& updates) const;
  // One element of the type of data, which a parameter gives.
  Status check_scalar(std::string_view name, const TensorView& value) const;

  Plan plan_;
};

}  // namespace strew
