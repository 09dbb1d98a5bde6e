// Moves strings, which are references to Python objects.
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

void move_strings(const char* op, const HostRun& run, const Output& output) {
  auto* array = as_array(output.array());
  if (run.legal.reduction() == Reduction::kNone) {
    unwrap(strew::run(run.plan(), run.views, output.view(), run.options));
    count_references(array);
  } else {
    const TensorView& indices = *run.views.indices;
    unwrap(check_indices(run.plan(), indices, run.options));
    concatenate(op, array, run.views.data, resolve_positions(run.plan(), indices, run.options), *run.views.updates,
                run.legal.include_self());
  }
}

}  // namespace strew::python
