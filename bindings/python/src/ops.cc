// The six operators as Python functions: operands in, plan, output, run, the caller's kind of array out.
#include "ops.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "arguments.h"
#include "byte_rows.h"
#include "call.h"
#include "docs.h"
#include "explain.h"
#include "objects.h"
#include "operand.h"
#include "output.h"
#include "strew/checked_indices.h"
#include "strew/ops.h"
#include "threads.h"

namespace strew::python {
namespace {

Reduction reduction_of(const char* op, std::string_view name) {
  if (const auto reduction = reduction_from_name(name)) return *reduction;
  static constexpr std::array<std::string_view, 5> kNames = {"none", "add", "mul", "max", "min"};
  raise(ErrorCode::kInvalidArgument, std::string(op) + ": reduction '" + std::string(name) +
                                         "' is none of 'none', 'add', 'mul', 'max', 'min'" +
                                         did_you_mean(name, kNames));
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
  Explanation* wanted;  // where an explanation goes instead of a result; else null
};

// What wanted_explanation() says of this call, which calls made while its operands are read must not see.
Explanation* take_wanted_explanation() noexcept { return std::exchange(wanted_explanation(), nullptr); }

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
  auto* array = as_array(output.array());
  if (reduction == Reduction::kNone) {
    unwrap(run(plan, operands, output.view(), options));
    count_references(array);
  } else {
    unwrap(check_indices(plan, *operands.indices, options));
    concatenate(op, array, operands.data, positions_of(plan, *operands.indices, options), *operands.updates);
  }
}

// How a mask becomes indices.
std::string unmasked(const Given& given) {
  const std::string_view op = given.op;
  const bool flat = given.indices->view.rank() == 1 && !op.ends_with("_nd");
  if (given.indices->kind == ArrayKind::kTorch) {
    return std::string("; a mask becomes indices by mask.nonzero()") + (flat ? ".flatten()" : "");
  }
  if (flat) return "; a mask becomes indices by np.flatnonzero(mask)";
  return "; a mask becomes indices by np.argwhere(mask), for " +
         std::string(op.starts_with("gather") ? "gather_nd" : "scatter_nd");
}

// The plan, or the library's refusal; where types differ it also says how to make them one, and what a mask
// becomes.
Plan checked_plan(const Given& given, Result<Plan> plan) {
  if (!plan && given.indices != nullptr && given.indices->dtype == DType::kBool) {
    plan.error().message += unmasked(given);
    return unwrap(std::move(plan));
  }
  if (!plan && given.updates != nullptr && given.updates->dtype != given.data.dtype) {
    const char* how = given.updates->kind == ArrayKind::kTorch ? ".to(" : ".astype(";
    plan.error().message += std::string("; use ") + how + "'" + std::string(dtype_name(given.data.dtype)) + "')";
  }
  return unwrap(std::move(plan));
}

bool may_run_code(nb::handle object) {
  return PyArray_CheckExact(object.ptr()) == 0 && !object.is_none() && !is_plain_tensor(object);
}

// An array of another kind may run any code when it is read, also such as changes an operand that was read before.
void check_all_unchanged(const Given& given) {
  const bool tensor_scatter = std::string_view(given.op) == "tensor_scatter";
  const std::array<std::pair<const char*, const Operand*>, 3> operands{{
      {tensor_scatter ? "past_cache" : "data", &given.data},
      {tensor_scatter ? "write_indices" : "indices", given.indices},
      {tensor_scatter ? "update" : "updates", given.updates},
  }};
  const auto ran_code = [](const auto& each) {
    return each.second != nullptr && may_run_code(each.second->given);
  };
  if (!std::ranges::any_of(operands, ran_code) && !may_run_code(given.out)) return;
  for (const auto& [name, operand] : operands) {
    if (operand != nullptr) check_unchanged(given.op, name, *operand);
  }
}

// `make` makes the plan from the types of data and updates. Types that NumPy's memory holds in another form are
// planned as what they are, so that every rule and message is theirs, and then moved as what they look like.
template <class MakePlan>
nb::object run_op(const Given& given, MakePlan&& make) {
  Plan plan = checked_plan(given, make([](const Operand& operand) { return operand.spec(); }));
  Output output = given.out.is_none() ? Output::make(given.data, plan.output_shape())
                                      : Output::given(given.op, given.out, given.data, plan.output_shape());
  check_all_unchanged(given);
  const Reduction reduction = plan.reduction();
  if (given.data.is_moved_type() && !given.data.as_bytes)
    plan = unwrap(make([](const Operand& operand) { return TensorSpec(operand.view); }));

  Operands operands{given.data.view};
  if (given.indices != nullptr) operands.indices = given.indices->view;
  if (given.updates != nullptr) operands.updates = given.updates->view;
  const bool in_place = output.view().data() == given.data.view.data();  // then only updates are written
  std::int64_t elements = in_place ? plan.position_count() : element_count(output.view().shape());
  if (given.indices != nullptr) elements += element_count(given.indices->view.shape());
  // A call that keeps the lock must not wait for the pool, where calls of other threads may be: it runs here.
  // Python objects may only be looked at under the lock.
  const bool strings = given.data.dtype == DType::kString && !given.data.as_bytes;
  const bool release = is_long(elements) && !strings;
  const std::shared_ptr<Executor> executor = release ? current_executor() : nullptr;
  Options options;
  options.executor = release ? executor.get() : &serial_executor();
  options.scratch_limit = scratch_limit();
  options.output_is_new = given.out.is_none();
  if (Explanation* wanted = given.wanted) {
    *wanted = given.data.as_bytes ? unwrap(explain_bytes(plan, operands, output.view(), options))
                                  : unwrap(explain(plan, operands, output.view(), options));
    return nb::none();
  }
  if (given.data.as_bytes) {
    unwrap(without_lock(release, [&] { return run_bytes(plan, operands, output.view(), options); }));
  } else if (strings) {
    move_strings(given.op, plan, reduction, operands, output, options);
  } else {
    unwrap(without_lock(release, [&] { return run(plan, operands, output.view(), options); }));
  }
  return output.take(given.op, given.data, given.updates, reduction);
}

constexpr Signature kGather{"gather", {"data", "indices", "axis", "out"}, 2};
constexpr Signature kGatherElements{"gather_elements", {"data", "indices", "axis", "out"}, 2};
constexpr Signature kGatherND{"gather_nd", {"data", "indices", "batch_dims", "out"}, 2};
constexpr Signature kScatterElements{
    "scatter_elements", {"data", "indices", "updates", "axis", "reduction", "out"}, 3};
constexpr Signature kScatterND{"scatter_nd", {"data", "indices", "updates", "reduction", "out"}, 3};
constexpr Signature kTensorScatter{
    "tensor_scatter", {"past_cache", "update", "write_indices", "axis", "mode", "out"}, 2};

// The three gathers differ in their plan and in what their only parameter is called.
template <const Signature& signature, class Params, auto make_plan>
nb::object run_gather(const Arguments& given) {
  Explanation* const wanted = take_wanted_explanation();
  const Params params{given.integer(2, 0)};
  const Operand data = to_operand(signature.function, "data", given[0], Role::kMoved);
  const Operand indices = to_operand(signature.function, "indices", given[1], Role::kIndices);
  return run_op({signature.function, data, &indices, nullptr, given.or_none(3), wanted},
                [&](auto spec) { return make_plan(spec(data), indices.spec(), params); });
}

nb::object scatter_elements(const Arguments& given) {
  Explanation* const wanted = take_wanted_explanation();
  const ScatterElementsParams params{given.integer(3, 0), reduction_of("scatter_elements", given.text(4, "none"))};
  const Operand data = to_operand("scatter_elements", "data", given[0], Role::kRead);
  const Operand indices = to_operand("scatter_elements", "indices", given[1], Role::kIndices);
  const Operand updates = to_updates("scatter_elements", "updates", given[2], data, indices.view.shape());
  return run_op({"scatter_elements", data, &indices, &updates, given.or_none(5), wanted}, [&](auto spec) {
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

nb::object scatter_nd(const Arguments& given) {
  Explanation* const wanted = take_wanted_explanation();
  const ScatterNDParams params{reduction_of("scatter_nd", given.text(3, "none"))};
  const Operand data = to_operand("scatter_nd", "data", given[0], Role::kRead);
  const Operand indices = to_operand("scatter_nd", "indices", given[1], Role::kIndices);
  const Operand updates = to_updates("scatter_nd", "updates", given[2], data,
                                     scatter_nd_updates_shape(data.view.shape(), indices.view.shape()));
  return run_op({"scatter_nd", data, &indices, &updates, given.or_none(4), wanted}, [&](auto spec) {
    return make_scatter_nd_plan(spec(data), indices.spec(), spec(updates), params);
  });
}

nb::object tensor_scatter(const Arguments& given) {
  Explanation* const wanted = take_wanted_explanation();
  const TensorScatterParams params{given.integer(3, -2), mode_of(given.text(4, "linear"))};
  const Operand data = to_operand("tensor_scatter", "past_cache", given[0], Role::kRead);
  const Operand update = to_updates("tensor_scatter", "update", given[1], data, {});
  std::optional<Operand> starts;
  if (const nb::handle write_indices = given.or_none(2); !write_indices.is_none()) {
    starts = to_operand("tensor_scatter", "write_indices", write_indices, Role::kIndices);
  }
  const std::optional<TensorSpec> start_spec = starts ? std::optional(starts->spec()) : std::nullopt;
  return run_op({"tensor_scatter", data, starts ? &*starts : nullptr, &update, given.or_none(5), wanted},
                [&](auto spec) { return make_tensor_scatter_plan(spec(data), spec(update), start_spec, params); });
}

}  // namespace

void add_operators(nb::module_& module) {
  static PyMethodDef methods[] = {
      method<kGather, run_gather<kGather, GatherParams, make_gather_plan>>(kGatherDoc),
      method<kGatherElements, run_gather<kGatherElements, GatherElementsParams, make_gather_elements_plan>>(
          kGatherElementsDoc),
      method<kGatherND, run_gather<kGatherND, GatherNDParams, make_gather_nd_plan>>(kGatherNDDoc),
      method<kScatterElements, scatter_elements>(kScatterElementsDoc),
      method<kScatterND, scatter_nd>(kScatterNDDoc),
      method<kTensorScatter, tensor_scatter>(kTensorScatterDoc),
      {},
  };
  if (PyModule_AddFunctions(module.ptr(), methods) < 0) throw nb::python_error();
}

}  // namespace strew::python
