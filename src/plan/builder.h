// PlanBuilder: creates plans, by rules that several operators share. Reads no data.
#pragma once

#include <cstdint>
#include <string_view>

#include "plan/shape_rules.h"
#include "strew/error.h"
#include "strew/plan.h"

namespace strew {

/// Collects the geometry of a call. Each `check_` function returns the first broken rule. Call an `add_` function
/// after its checks.
class PlanBuilder {
 public:
  /// Returns an unfinished plan, constructed in place, since moving a plan takes as long as all checks.
  static Result<Plan> begin(const CallParams& params, const TensorSpec& data, const TensorSpec& indices) {
    return Result<Plan>(tl::in_place, Plan::Key(), params, data, indices);
  }
  PlanBuilder(const CallParams& params, Plan& plan) : params_(params), plan_(plan) {}

  std::string_view op() const noexcept { return op_name(plan_.op()); }

  OperandShapes<Shape> shapes(const Shape* updates = nullptr) const noexcept {
    return {op(), &plan_.data_.shape, &plan_.indices_.shape, updates};
  }

  /// Checks rank, dimensions and size of one operand. Stores the number of elements in `count`.
  Status check_operand(std::string_view operand, const TensorSpec& spec, std::int64_t lowest_rank,
                       std::int64_t& count) const;
  Status check_data(std::string_view operand, std::int64_t lowest_rank) {
    return check_operand(operand, plan_.data_, lowest_rank, plan_.data_count_);
  }
  /// Checks the updates of a scatter, or the output of a gather.
  Status check_positions(std::string_view operand, const TensorSpec& spec) {
    return check_operand(operand, spec, 0, plan_.position_count_);
  }
  /// Checks that `data` has rank 1 or more, and `indices` an integer type and at least `lowest_index_rank`.
  Status check_data_and_indices(std::int64_t lowest_index_rank);
  /// Checks that `updates` has the type of data and this shape; `rule` explains the shape in messages.
  Status check_updates(const TensorSpec& updates, const Shape& expected, std::string_view rule);
  /// Checks that the type of data supports the reduction and its options.
  Status check_reduction();
  /// Checks that the parameter axis is in [-rank, rank - 1] of data; sets and returns the non-negative axis.
  Result<std::int64_t> take_axis();
  void set_axis(std::int64_t axis) noexcept { plan_.params_.axis = axis; }

  /// Adds the loop of GatherElements and ScatterElements: every axis of indices is an axis of data and of the
  /// positions. Rejects indices that are longer than data on any other axis.
  Status add_elements(std::int64_t axis);
  /// Adds the loop of GatherND and ScatterND: batch axes, tuples, and then the slice that a tuple selects. Rejects
  /// tuples that are too short or too long. Sets the position shape.
  Status add_tuples(std::int64_t batch_dims, std::int64_t shortest_tuple);

  void add_loop(Plan::LoopAxis axis) { plan_.loop_.push_back(axis); }
  void add_indexed_axis(std::int64_t axis) { plan_.indexed_axes_.push_back(axis); }
  void set_position_shape(Shape shape) { plan_.position_shape_ = std::move(shape); }
  /// Checks that the operator supports the rules for index values, and that the fill value has the type of data.
  Status check_rules();
  void set_no_indices() { plan_.has_indices_ = false; }
  const Shape& position_shape() const noexcept { return plan_.position_shape_; }

  const CallParams& params() const noexcept { return params_; }
  /// Checks that the output can exist, and completes the plan.
  Status finish();

 private:
  // The rows that positions address in dense data, in the order of positions: `count` of `length` contiguous
  // elements. `count` is 0 if there are no positions or no indexed axes.
  Plan::Rows rows() const noexcept;
  // As above, but `count` is 0 if no call of the plan is small.
  Plan::Rows small_rows() const noexcept;
  // Copies an element of the type of data, from a parameter, into the plan.
  Status copy_scalar(std::string_view name, const TensorView& value);

  const CallParams& params_;
  Plan& plan_;
};

}  // namespace strew
