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
#include "checked_indices.h"
#include "device_call.h"
#include "docs.h"
#include "explain.h"
#include "fill_value.h"
#include "given.h"
#include "objects.h"
#include "operand.h"
#include "output.h"
#include "picture.h"
#include "strew/ops.h"
#include "threads.h"
#include "wanted.h"

namespace strew::python {
namespace {

// The parameters that all operators but tensor_scatter have; gathers have one rule that scatters lack, and the
// other way round.
template <const Signature& signature, OutOfBounds unfit>
IndexRules rules_of(const Arguments& given) {
  return {given.choice(kPlaceOf<signature, "out_of_bounds">, OutOfBounds::kError, out_of_bounds_name,
                       out_of_bounds_from_name, std::optional(unfit)),
          given.choice(kPlaceOf<signature, "negative_indices">, NegativeIndices::kFromEnd, negative_indices_name,
                       negative_indices_from_name)};
}

// The parameters of a scatter that has reductions; its alpha is read with the operands.
template <const Signature& signature, class Params>
void read_reduction(const Arguments& given, Params& params) {
  params.reduction =
      given.choice(kPlaceOf<signature, "reduction">, Reduction::kNone, reduction_name, reduction_from_name);
  params.rules = rules_of<signature, OutOfBounds::kFill>(given);
  params.include_self = given.flag(kPlaceOf<signature, "include_self">, true);
  params.accumulate =
      given.choice(kPlaceOf<signature, "accumulate">, Accumulate::kData, accumulate_name, accumulate_from_name);
}

template <const Signature& signature>
std::optional<Operand> alpha_of(const Arguments& given, const Operand& data) {
  const nb::handle alpha = given.or_none(kPlaceOf<signature, "alpha">);
  if (alpha.is_none()) return std::nullopt;
  return to_updates(signature.function, "alpha", alpha, data);
}

template <const Signature& signature>
DeviceOptions device_options(const Arguments& given) {
  return {given.or_none(kPlaceOf<signature, "stream">), given.or_none(kPlaceOf<signature, "deferred">)};
}

// What wanted() says of this call, which calls made while its operands are read must not see.
Wanted take_wanted() noexcept { return std::exchange(wanted(), Wanted()); }

// Where each update of a scatter goes, as positions in `data`, -1 for one that is dropped: what its gather takes
// from the numbers 0, 1, 2, ...
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
  static constexpr std::int64_t kDropped = -1;
  IndexRules rules = plan.rules();
  std::optional<TensorView> dropped;
  if (rules.out_of_bounds == OutOfBounds::kDrop) {
    rules.out_of_bounds = OutOfBounds::kFill;
    dropped.emplace(&kDropped, DType::kInt64, Shape{});
  }
  if (plan.tuples()) return unwrap(strew::gather_nd(numbers, indices, {0, rules, dropped}, options));
  return unwrap(strew::gather_elements(numbers, indices, {plan.indexed_axes().front(), rules, dropped}, options));
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
    concatenate(op, array, operands.data, positions_of(plan, *operands.indices, options), *operands.updates,
                plan.include_self());
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

// The plan, or raises the library's refusal; where types differ it also says how to make them one, and what a mask
// becomes.
Plan& checked_plan(const Given& given, Result<Plan>& plan) {
  if (!plan && given.indices != nullptr && given.indices->dtype == DType::kBool) {
    plan.error().message += unmasked(given);
  } else if (!plan && given.updates != nullptr && given.updates->dtype != given.data.dtype) {
    plan.error().message += how_to_cast(*given.updates, given.data);
  }
  if (plan && given.data.is_opaque && plan->reduction() != Reduction::kNone) {
    const std::string descr = type_of(given.data);
    raise(ErrorCode::kInvalidType, std::string(given.op) + ": reduction '" +
                                       std::string(reduction_name(plan->reduction())) + "' is not supported for " +
                                       descr + ", which can only be moved");
  }
  if (!plan) raise(plan.error().code, plan.error().message);
  return *plan;
}

// What is known of indices, instead of a call: they were read, and nothing was.
void keep_indices(const Given& given, const Plan& plan) {
  check_all_unchanged(given);
  const std::shared_ptr<Executor> executor = current_executor();
  Options options;
  options.executor = executor.get();
  const TensorView& view = given.indices->view;
  auto checked = unwrap(without_lock(true, [&] { return check_indices(plan, view, options); }));
  *given.wanted.checked = CheckedIndices{*given.indices, std::move(checked), std::nullopt, axis_sizes_of(plan)};
}

// Puts the data's own type and shape into the words for a plan of their bytes: "gather: uint8 [3, 8], ...".
void name_data(const Given& given, std::string& call) {
  const std::string named =
      std::string(given.op) + ": " + type_of(given.data) + " " + to_string(given.data.shape());
  call.replace(0, call.find(']') + 1, named);
}

Operands operands_of(const Given& given, bool fills) {
  Operands operands{given.data.view};
  if (given.indices != nullptr) operands.indices = given.indices->view;
  if (given.updates != nullptr) operands.updates = given.updates->view;
  if (given.alpha != nullptr) operands.alpha = given.alpha->view;
  if (fills && given.fill != nullptr && given.fill->operand) operands.fill_value = given.fill->operand->view;
  return operands;
}

// Whether a call is told by its plan and its addresses, so that no view need be copied.
bool are_dense(const Given& given, const Output& output) {
  const auto is_dense = [](const Operand* operand) { return operand == nullptr || operand->view.dense(); };
  const bool fills = given.fill != nullptr && given.fill->operand.has_value();
  return !fills && given.alpha == nullptr && given.data.view.dense() && is_dense(given.indices) &&
         is_dense(given.updates) && output.view().dense();
}

DenseOperands addresses_of(const Given& given) {
  const auto address = [](const Operand* operand) { return operand == nullptr ? nullptr : operand->view.data(); };
  return {given.data.view.data(), address(given.indices), address(given.updates)};
}

// `make` makes the plan from the types of data and updates. Types that NumPy's memory holds in another form are
// planned as what they are, so that every rule and message is theirs, and then moved as what they look like.
template <class MakePlan>
nb::object run_op(const Given& given, MakePlan&& make) {
  if (given.wanted.picture != nullptr) {
    if (is_on_device(given)) {
      raise(ErrorCode::kUnsupported,
            std::string(given.op) + ": a picture shows elements in CPU memory; copy the arrays there first");
    }
    if (given.data.is_opaque) {
      raise(ErrorCode::kInvalidType,
            std::string(given.op) + ": a picture shows elements of ONNX's types; data is " + type_of(given.data));
    }
    const auto plan = make([](const Operand& operand) { return operand.spec(); });
    draw_call(given.op, plan, {given.data, given.indices, given.updates, given.fill, given.alpha},
              *given.wanted.picture);
    return nb::none();
  }
  Result<Plan> made = make([](const Operand& operand) { return operand.spec(); });
  Plan& plan = checked_plan(given, made);
  if (given.wanted.output_shape != nullptr) {
    *given.wanted.output_shape = plan.output_shape();
    return nb::none();
  }
  if (is_on_device(given)) return run_on_device(given, plan);
  check_no_device_options(given);
  if (given.wanted.checked != nullptr && given.indices != nullptr) {
    keep_indices(given, plan);
    return nb::none();
  }
  Output output = given.out.is_none() ? Output::make(given.op, given.data, plan.output_shape())
                                      : Output::given(given.op, given.out, given.data, plan.output_shape());
  check_all_unchanged(given);
  const Reduction reduction = plan.reduction();
  if (given.data.is_moved_type() && !given.data.as_bytes)
    plan = unwrap(make([](const Operand& operand) { return TensorSpec(operand.view); }));

  const bool fills_apart = given.fill != nullptr && given.fill->element.is_valid();
  const auto operands = [&] { return operands_of(given, !fills_apart); };
  if (fills_apart && !given.data.as_bytes) plan = unwrap(plan_again(plan, operands()));  // without a fill_value
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
  if (given.indices != nullptr && given.indices->checked != nullptr && given.indices->checked->in_memory)
    options.checked_indices = &*given.indices->checked->in_memory;
  if (CallExplanation* const explanation = given.wanted.explanation) {
    explanation->rules = plan.rules();
    explanation->explanation = given.data.as_bytes
                                   ? unwrap(explain_bytes(plan, operands(), output.view(), options))
                                   : unwrap(explain(plan, operands(), output.view(), options));
    if (given.data.is_moved_type() || given.data.is_opaque) name_data(given, explanation->explanation.call);
    return nb::none();
  }
  if (given.data.as_bytes) {
    unwrap(without_lock(release, [&] { return run_bytes(plan, operands(), output.view(), options); }));
  } else if (strings) {
    move_strings(given.op, plan, reduction, operands(), output, options);
  } else if (are_dense(given, output)) {
    unwrap(without_lock(release,
                        [&] { return run_dense(plan, addresses_of(given), output.view().data(), options); }));
  } else {
    unwrap(without_lock(release, [&] { return run(plan, operands(), output.view(), options); }));
  }
  if (fills_apart) {
    fill_elements(plan, given.indices->view, given.fill->element, output.view(), given.data.as_bytes, options);
  }
  return output.take(given.op, given.data, given.updates, reduction);
}

constexpr Signature kGather{
    "gather",
    {"data", "indices", "axis", "out", "out_of_bounds", "fill_value", "negative_indices", "stream", "deferred"},
    2,
    4};
constexpr Signature kGatherElements{
    "gather_elements",
    {"data", "indices", "axis", "out", "out_of_bounds", "fill_value", "negative_indices", "stream", "deferred"},
    2,
    4};
constexpr Signature kGatherND{"gather_nd",
                              {"data", "indices", "batch_dims", "out", "out_of_bounds", "fill_value",
                               "negative_indices", "stream", "deferred"},
                              2,
                              4};
constexpr Signature kScatterElements{
    "scatter_elements",
    {"data", "indices", "updates", "axis", "reduction", "out", "out_of_bounds", "negative_indices", "promote",
     "include_self", "accumulate", "alpha", "stream", "deferred"},
    3,
    6};
constexpr Signature kScatterND{
    "scatter_nd",
    {"data", "indices", "updates", "reduction", "out", "out_of_bounds", "negative_indices", "promote",
     "include_self", "accumulate", "alpha", "stream", "deferred"},
    3,
    5};
constexpr Signature kTensorScatter{
    "tensor_scatter",
    {"past_cache", "update", "write_indices", "axis", "mode", "out", "promote", "stream", "deferred"},
    2,
    6};

// The three gathers differ in their plan and in what their third parameter is called.
template <const Signature& signature, class Params, auto make_plan>
nb::object run_gather(const Arguments& given) {
  const Wanted wanted = take_wanted();
  Params params{given.integer(2, 0), rules_of<signature, OutOfBounds::kDrop>(given)};
  const Role role = wanted.picture == nullptr ? Role::kMoved : Role::kRead;  // a picture says the elements
  const Operand data = to_operand(signature.function, "data", given[0], role);
  const Operand indices = to_operand(signature.function, "indices", given[1], Role::kIndices);
  const bool fills = params.rules.out_of_bounds == OutOfBounds::kFill;
  const FillValue fill(signature.function, given.or_none(kPlaceOf<signature, "fill_value">), data, fills);
  return run_op({signature.function, data, &indices, nullptr, given.or_none(kPlaceOf<signature, "out">), wanted,
                 device_options<signature>(given), &fill},
                [&](auto spec) {
                  params.fill_value = fill.seen_as(spec(data).dtype);
                  return make_plan(spec(data), indices.spec(), params);
                });
}

bool is_scalar(const Operand& operand) { return operand.view.rank() == (operand.as_bytes ? 1 : 0); }

nb::object scatter_elements(const Arguments& given) {
  const Wanted wanted = take_wanted();
  ScatterElementsParams params{given.integer(kPlaceOf<kScatterElements, "axis">, 0)};
  read_reduction<kScatterElements>(given, params);
  const Operand data = to_operand("scatter_elements", "data", given[0], Role::kRead);
  const Operand indices = to_operand("scatter_elements", "indices", given[1], Role::kIndices);
  Operand updates = to_updates("scatter_elements", "updates", given[2], data,
                               given.flag(kPlaceOf<kScatterElements, "promote">, false));
  if (is_scalar(updates)) repeat_scalar(updates, indices.view.shape());
  const std::optional<Operand> alpha = alpha_of<kScatterElements>(given, data);
  const nb::handle out = given.or_none(kPlaceOf<kScatterElements, "out">);
  return run_op({"scatter_elements", data, &indices, &updates, out, wanted,
                 device_options<kScatterElements>(given), nullptr, alpha ? &*alpha : nullptr},
                [&](auto spec) {
                  if (alpha) params.alpha.emplace(alpha->view.data(), alpha->dtype, alpha->shape());
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
  const Wanted wanted = take_wanted();
  ScatterNDParams params;
  read_reduction<kScatterND>(given, params);
  const Operand data = to_operand("scatter_nd", "data", given[0], Role::kRead);
  const Operand indices = to_operand("scatter_nd", "indices", given[1], Role::kIndices);
  Operand updates =
      to_updates("scatter_nd", "updates", given[2], data, given.flag(kPlaceOf<kScatterND, "promote">, false));
  if (is_scalar(updates)) repeat_scalar(updates, scatter_nd_updates_shape(data.shape(), indices.view.shape()));
  const std::optional<Operand> alpha = alpha_of<kScatterND>(given, data);
  const nb::handle out = given.or_none(kPlaceOf<kScatterND, "out">);
  return run_op({"scatter_nd", data, &indices, &updates, out, wanted, device_options<kScatterND>(given), nullptr,
                 alpha ? &*alpha : nullptr},
                [&](auto spec) {
                  if (alpha) params.alpha.emplace(alpha->view.data(), alpha->dtype, alpha->shape());
                  return make_scatter_nd_plan(spec(data), indices.spec(), spec(updates), params);
                });
}

nb::object tensor_scatter(const Arguments& given) {
  const Wanted wanted = take_wanted();
  const TensorScatterParams params{
      given.integer(kPlaceOf<kTensorScatter, "axis">, -2),
      given.choice(kPlaceOf<kTensorScatter, "mode">, WriteMode::kLinear, write_mode_name, write_mode_from_name)};
  const Operand data = to_operand("tensor_scatter", "past_cache", given[0], Role::kRead);
  const Operand update = to_updates("tensor_scatter", "update", given[1], data,
                                    given.flag(kPlaceOf<kTensorScatter, "promote">, false));
  std::optional<Operand> starts;
  if (const nb::handle write_indices = given.or_none(2); !write_indices.is_none()) {
    starts = to_operand("tensor_scatter", "write_indices", write_indices, Role::kIndices);
  }
  const std::optional<TensorSpec> start_spec = starts ? std::optional(starts->spec()) : std::nullopt;
  const nb::handle out = given.or_none(kPlaceOf<kTensorScatter, "out">);
  return run_op({"tensor_scatter", data, starts ? &*starts : nullptr, &update, out, wanted,
                 device_options<kTensorScatter>(given)},
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
