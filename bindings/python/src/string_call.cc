// Moves elements that only NumPy knows: references to Python objects, and rows of bytes.
#include <numeric>
#include <optional>
#include <utility>

#include "arrays.h"
#include "call.h"
#include "operator_call.h"
#include "strew/checked_indices.h"
#include "strew/ops.h"
#include "strew/tensor.h"

namespace strew::python {
namespace {

// Returns the position in `data` of each update of a scatter, or -1 if the update is dropped.
Tensor resolve_positions(const Plan& plan, const TensorView& indices, const Options& options) {
  Tensor numbers = unwrap(Tensor::uninitialized(DType::kInt64, plan.data().shape));
  auto* number = static_cast<std::int64_t*>(numbers.mutable_data());
  std::iota(number, number + numbers.element_count(), std::int64_t{0});
  if (plan.indexed_axes().empty()) {  // each empty tuple addresses all of the data
    Shape strides;
    const Shape& shape = plan.position_shape();
    for (std::int64_t axis = 0; axis + 1 < indices.rank(); ++axis) strides.push_back(0);
    for (std::int64_t stride : dense_strides(plan.data().shape)) strides.push_back(stride);
    return unwrap(Tensor::copy_of(TensorView(numbers.data(), DType::kInt64, shape, strides)));
  }
  static constexpr std::int64_t kDropped = -1;
  IndexRules rules = plan.rules();
  std::optional<TensorView> dropped;
  if (rules.out_of_bounds == OutOfBounds::kDrop) {
    rules.out_of_bounds = OutOfBounds::kFill;
    dropped.emplace(&kDropped, DType::kInt64, Shape{});
  }
  if (plan.tuples())
    return unwrap(
        strew::gather_nd(numbers, indices, {.batch_dims = 0, .rules = rules, .fill_value = dropped}, options));
  return unwrap(strew::gather_elements(
      numbers, indices, {.axis = plan.indexed_axes().front(), .rules = rules, .fill_value = dropped}, options));
}

}  // namespace

void move_strings(const char* op, const Plan& plan, Reduction reduction, const Operands& operands,
                  const Output& output, const Options& options) {
  auto* array = as_array(output.array());
  if (reduction == Reduction::kNone) {
    unwrap(run(plan, operands, output.view(), options));
    count_references(array);
  } else {
    unwrap(check_indices(plan, *operands.indices, options));
    concatenate(op, array, operands.data, resolve_positions(plan, *operands.indices, options), *operands.updates,
                plan.include_self());
  }
}

namespace {

TensorView repeated(const TensorView& view, std::int64_t count) {
  Shape shape = view.shape();
  Shape strides = view.dense() ? dense_strides(shape) : view.strides();
  shape.push_back(count);
  strides.push_back(0);
  return {view.data(), view.dtype(), shape, strides};
}

Operands rows_of(const Plan& plan, const Operands& operands) {
  Operands rows = operands;
  if (plan.op() == OpKind::kGatherElements || plan.op() == OpKind::kScatterElements) {
    rows.indices = repeated(*operands.indices, operands.data.shape()[operands.data.rank() - 1]);
  }
  return rows;
}

}  // namespace

Result<Plan> plan_again(const Plan& plan, const Operands& operands) {
  return make_plan(plan.params(), operands.data, operands.indices, operands.updates);
}

Status run_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                 const Options& options) {
  const Operands rows = rows_of(plan, operands);
  auto moved = plan_again(plan, rows);
  if (!moved) return tl::unexpected(std::move(moved).error());
  Status done = run(*moved, rows, output, options);
  if (done || done.error().code != ErrorCode::kIndexOutOfRange) return done;
  // Reports the error for the operands as the caller sees them, without the byte axis.
  const auto checked = check_indices(plan, *operands.indices, options);
  return checked ? done : tl::unexpected(checked.error());
}

Result<Explanation> explain_bytes(const Plan& plan, const Operands& operands, const MutableTensorView& output,
                                  const Options& options) {
  const Operands rows = rows_of(plan, operands);
  auto moved = plan_again(plan, rows);
  if (!moved) return tl::unexpected(std::move(moved).error());
  return explain(*moved, rows, output, options);
}

}  // namespace strew::python
