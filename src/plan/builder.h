// PlanBuilder: makes the plan of a call without reading data. operators.cc has a function for each operator, and
// builder.cc has the rules that several operators share.
#pragma once

#include <cstdint>
#include <string_view>

#include "plan/shape_rules.h"
#include "strew/error.h"
#include "strew/plan.h"

namespace strew {

/// Collects the geometry of a call. Functions that check rules return the error for the first broken rule.
struct PlanBuilder {
  const CallParams& params;
  Plan& plan;
  std::string_view op;  ///< the operator's name, for errors

  /// Returns the plan of a call. An absent operand, if the operator allows it, is nullptr.
  static Result<Plan> build(const CallParams& params, const TensorSpec& data, const TensorSpec* indices,
                            const TensorSpec* updates);

  // Check an operator's rules, and add its loop axes and indexed axes.
  Status check_call(bool has_indices, const TensorSpec* updates);
  Status gather();
  Status gather_elements();
  Status gather_nd();
  Status scatter_elements(const TensorSpec& updates);
  Status scatter_nd(const TensorSpec& updates);
  Status tensor_scatter(const TensorSpec& update, bool has_indices);

  OperandShapes<Shape> shapes(const Shape* updates = nullptr) const noexcept;
  /// Checks the rank, dimensions and size of an operand. Stores the number of elements in `count`.
  Status check_operand(std::string_view operand, const TensorSpec& spec, std::int64_t lowest_rank,
                       std::int64_t& count) const;
  /// Checks that data has rank 1 or more, and that indices are integers and have rank `lowest_index_rank` or more.
  Status check_data_and_indices(std::int64_t lowest_index_rank);
  /// Checks that `updates` has the type of data and the expected shape, which `rule` explains in messages.
  Status check_updates(const TensorSpec& updates, const Shape& expected, std::string_view rule);
  /// Checks that the type of data supports the reduction and its options.
  Status check_reduction();
  /// Checks that the operator supports the rules for index values, and that the fill value has the type of data.
  Status check_rules();
  /// Checks that the parameter `axis` is valid for the rank of data; stores and returns the non-negative axis.
  Result<std::int64_t> take_axis();
  /// Adds an axis to the positions, and a Plan::LoopAxis that runs along it, with the parameters as members.
  void add_axis(std::int64_t extent, std::int64_t data_axis, std::int64_t index_axis);
  /// Adds the loop of GatherElements and ScatterElements: every axis of indices is an axis of data and of the
  /// positions. Rejects indices that are longer than data on an axis other than the parameter `axis`.
  Status add_elements();
  /// Adds the loop of GatherND and ScatterND: over batches, tuples, and the slice that a tuple selects. Rejects
  /// tuples that are too short or too long.
  Status add_tuples(std::int64_t batch_dims, std::int64_t shortest_tuple);
  /// Checks that the parameter `name` is one element of the type of data, and copies it into the plan.
  Status copy_scalar(std::string_view name, const TensorView& value);
  /// Checks the rank and size of a gather's output, and completes the plan.
  Status finish();
  /// Returns the rows for the fast path; see Plan::Rows.
  Plan::Rows small_rows() const noexcept;
};

}  // namespace strew
