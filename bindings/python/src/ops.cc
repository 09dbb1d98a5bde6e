// The six operators as Python functions: operands in, plan, output, run, the caller's kind of array out.
#include "ops.h"

#include <nanobind/stl/string_view.h>

#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "byte_rows.h"
#include "call.h"
#include "docs.h"
#include "objects.h"
#include "operand.h"
#include "output.h"
#include "strew/ops.h"
#include "threads.h"

namespace strew::python {
namespace {

Reduction reduction_of(const char* op, std::string_view name) {
  if (const auto reduction = reduction_from_name(name)) return *reduction;
  raise(ErrorCode::kInvalidArgument,
        std::string(op) + ": reduction '" + std::string(name) + "' is none of 'none', 'add', 'mul', 'max', 'min'");
}

WriteMode mode_of(std::string_view name) {
  if (const auto mode = write_mode_from_name(name)) return *mode;
  raise(ErrorCode::kInvalidArgument,
        "tensor_scatter: mode '" + std::string(name) + "' is neither 'linear' nor 'circular'");
}

// The operands of one call; those that an operator does not have are null.
struct Given {
  const char* op;
  const Operand& data;
  const Operand* indices;
  const Operand* updates;
  nb::handle out;
};

// Where each update of a scatter goes, as positions in `data`: what its gather takes from the numbers 0, 1, 2, ...
Tensor positions_of(const Plan& plan, const TensorView& indices, const Options& options) {
  Tensor numbers = unwrap(Tensor::uninitialized(DType::kInt64, plan.data().shape));
  auto* number = static_cast<std::int64_t*>(numbers.mutable_data());
  std::iota(number, number + numbers.element_count(), std::int64_t{0});
  if (plan.indexed_axes().empty()) {  // empty tuples: each of them means all of the data
    Shape strides;
    const Shape& shape = plan.position_shape();
    for (std::int64_t axis = 0; axis + 1 < indices.rank(); ++axis) strides.push_back(0);
    for (std::int64_t stride : dense_strides(plan.data().shape)) strides.push_back(stride);
    return unwrap(Tensor::copy_of(TensorView(numbers.data(), DType::kInt64, shape, strides)));
  }
  if (plan.tuples()) return unwrap(strew::gather_nd(numbers, indices, {}, options));
  return unwrap(strew::gather_elements(numbers, indices, {plan.indexed_axes().front()}, options));
}

// Python objects may only be looked at under the lock, so strings are moved on this thread while it is held.
void move_strings(const char* op, const Plan& plan, Reduction reduction, const Operands& operands,
                  const Output& output, const Options& options) {
  auto* array = reinterpret_cast<PyArrayObject*>(output.array().ptr());
  if (reduction == Reduction::kNone) {
    unwrap(run(plan, operands, output.view(), options));
    count_references(array);
  } else {
    unwrap(choose_strategy(plan, operands, output.view(), options));  // checks the indices in this operator's name
    concatenate(op, array, operands.data, positions_of(plan, *operands.indices, options), *operands.updates);
  }
}

// `make` makes the plan from the types of data and updates. Types that NumPy's memory holds in another form are
// planned as what they are, so that every rule and message is theirs, and then moved as what they look like.
template <class MakePlan>
nb::object run_op(const Given& given, MakePlan&& make) {
  Plan plan = unwrap(make([](const Operand& operand) { return operand.spec(); }));
  Output output = given.out.is_none() ? Output::make(given.data, plan.output_shape())
                                      : Output::given(given.op, given.out, given.data, plan.output_shape());
  const Reduction reduction = plan.reduction();
  if (given.data.is_moved_type() && !given.data.as_bytes)
    plan = unwrap(make([](const Operand& operand) { return TensorSpec(operand.view); }));

  Operands operands{given.data.view};
  std::int64_t elements = element_count(plan.output_shape());
  if (given.indices != nullptr) {
    operands.indices = given.indices->view;
    elements += element_count(given.indices->view.shape());
  }
  if (given.updates != nullptr) operands.updates = given.updates->view;
  Options options;
  options.executor = current_executor();
  if (given.data.as_bytes) {
    unwrap(without_lock(is_long(elements), [&] { return run_bytes(plan, operands, output.view(), options); }));
  } else if (given.data.dtype == DType::kString) {
    move_strings(given.op, plan, reduction, operands, output, options);
  } else {
    unwrap(without_lock(is_long(elements), [&] { return run(plan, operands, output.view(), options); }));
  }
  return output.take(given.op, given.data, given.updates, reduction);
}

nb::object gather(nb::handle data_, nb::handle indices_, std::int64_t axis, nb::handle out) {
  const Operand data = to_operand("gather", "data", data_, Role::kMoved);
  const Operand indices = to_operand("gather", "indices", indices_, Role::kIndices);
  return run_op({"gather", data, &indices, nullptr, out},
                [&](auto spec) { return make_gather_plan(spec(data), indices.spec(), {axis}); });
}

nb::object gather_elements(nb::handle data_, nb::handle indices_, std::int64_t axis, nb::handle out) {
  const Operand data = to_operand("gather_elements", "data", data_, Role::kMoved);
  const Operand indices = to_operand("gather_elements", "indices", indices_, Role::kIndices);
  return run_op({"gather_elements", data, &indices, nullptr, out},
                [&](auto spec) { return make_gather_elements_plan(spec(data), indices.spec(), {axis}); });
}

nb::object gather_nd(nb::handle data_, nb::handle indices_, std::int64_t batch_dims, nb::handle out) {
  const Operand data = to_operand("gather_nd", "data", data_, Role::kMoved);
  const Operand indices = to_operand("gather_nd", "indices", indices_, Role::kIndices);
  return run_op({"gather_nd", data, &indices, nullptr, out},
                [&](auto spec) { return make_gather_nd_plan(spec(data), indices.spec(), {batch_dims}); });
}

nb::object scatter_elements(nb::handle data_, nb::handle indices_, nb::handle updates_, std::int64_t axis,
                            std::string_view reduction, nb::handle out) {
  const ScatterElementsParams params{axis, reduction_of("scatter_elements", reduction)};
  const Operand data = to_operand("scatter_elements", "data", data_, Role::kRead);
  const Operand indices = to_operand("scatter_elements", "indices", indices_, Role::kIndices);
  const Operand updates = to_updates("scatter_elements", "updates", updates_, data, indices.view.shape());
  return run_op({"scatter_elements", data, &indices, &updates, out}, [&](auto spec) {
    return make_scatter_elements_plan(spec(data), indices.spec(), spec(updates), params);
  });
}

// indices.shape[:-1] ++ data.shape[indices.shape[-1]:], or anything where the shapes do not fit: the plan refuses
// them.
Shape scatter_nd_updates_shape(const Shape& data, const Shape& indices) {
  Shape shape;
  const std::int64_t tuples = indices.rank() - 1;
  for (std::int64_t axis = 0; axis < tuples; ++axis) shape.push_back(indices[axis]);
  for (std::int64_t axis = tuples < 0 ? 0 : indices[tuples]; axis < data.rank(); ++axis)
    shape.push_back(data[axis]);
  return shape;
}

nb::object scatter_nd(nb::handle data_, nb::handle indices_, nb::handle updates_, std::string_view reduction,
                      nb::handle out) {
  const ScatterNDParams params{reduction_of("scatter_nd", reduction)};
  const Operand data = to_operand("scatter_nd", "data", data_, Role::kRead);
  const Operand indices = to_operand("scatter_nd", "indices", indices_, Role::kIndices);
  const Operand updates = to_updates("scatter_nd", "updates", updates_, data,
                                     scatter_nd_updates_shape(data.view.shape(), indices.view.shape()));
  return run_op({"scatter_nd", data, &indices, &updates, out}, [&](auto spec) {
    return make_scatter_nd_plan(spec(data), indices.spec(), spec(updates), params);
  });
}

nb::object tensor_scatter(nb::handle past_cache, nb::handle update_, nb::handle write_indices, std::int64_t axis,
                          std::string_view mode, nb::handle out) {
  const TensorScatterParams params{axis, mode_of(mode)};
  const Operand data = to_operand("tensor_scatter", "past_cache", past_cache, Role::kRead);
  const Operand update = to_updates("tensor_scatter", "update", update_, data, {});
  std::optional<Operand> starts;
  if (!write_indices.is_none())
    starts = to_operand("tensor_scatter", "write_indices", write_indices, Role::kIndices);
  const std::optional<TensorSpec> start_spec = starts ? std::optional(starts->spec()) : std::nullopt;
  return run_op({"tensor_scatter", data, starts ? &*starts : nullptr, &update, out},
                [&](auto spec) { return make_tensor_scatter_plan(spec(data), spec(update), start_spec, params); });
}

}  // namespace

void add_operators(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("gather", &gather, "data"_a, "indices"_a, "axis"_a = 0, "out"_a = nb::none(), kGatherDoc);
  module.def("gather_elements", &gather_elements, "data"_a, "indices"_a, "axis"_a = 0, "out"_a = nb::none(),
             kGatherElementsDoc);
  module.def("gather_nd", &gather_nd, "data"_a, "indices"_a, "batch_dims"_a = 0, "out"_a = nb::none(),
             kGatherNDDoc);
  module.def("scatter_elements", &scatter_elements, "data"_a, "indices"_a, "updates"_a, "axis"_a = 0,
             "reduction"_a = "none", "out"_a = nb::none(), kScatterElementsDoc);
  module.def("scatter_nd", &scatter_nd, "data"_a, "indices"_a, "updates"_a, "reduction"_a = "none",
             "out"_a = nb::none(), kScatterNDDoc);
  module.def("tensor_scatter", &tensor_scatter, "past_cache"_a, "update"_a, "write_indices"_a = nb::none(),
             "axis"_a = -2, "mode"_a = "linear", "out"_a = nb::none(), kTensorScatterDoc);
}

}  // namespace strew::python
