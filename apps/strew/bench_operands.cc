// What strew bench makes: random operands of a wanted type and shape, and the plan for them.
#include "bench_operands.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "attributes.h"
#include "index_pattern.h"
#include "op_call.h"

namespace strew::app {
namespace {

// Never zero (zero-filled memory looks faster than it is), and floats in [1, 2), so that nothing is subnormal.
template <class Word>
void fill_words(void* data, std::int64_t count, std::uint64_t one, std::uint64_t fraction, Random& random) {
  auto* words = static_cast<Word*>(data);
  for (std::int64_t i = 0; i < count; ++i) words[i] = static_cast<Word>(one | (random.next() >> 11 & fraction));
}

Result<Tensor> random_tensor(const TensorSpec& spec, Random& random) {
  auto tensor = Tensor::uninitialized(spec.dtype, spec.shape);
  if (!tensor) return tensor;
  void* data = tensor->mutable_data();
  const std::int64_t count = tensor->element_count();
  switch (spec.dtype) {
    case DType::kString:
      return fail(ErrorCode::kUnsupported, "bench: strings are not measured");
    case DType::kFloat32:
      fill_words<std::uint32_t>(data, count, 0x3F800000u, 0x7FFFFFu, random);
      break;
    case DType::kFloat64:
      fill_words<std::uint64_t>(data, count, 0x3FF0000000000000u, 0xFFFFFFFFFFFFFu, random);
      break;
    case DType::kFloat16:
      fill_words<std::uint16_t>(data, count, 0x3C00u, 0x3FFu, random);
      break;
    case DType::kBFloat16:
      fill_words<std::uint16_t>(data, count, 0x3F80u, 0x7Fu, random);
      break;
    case DType::kBool:
      fill_words<std::uint8_t>(data, count, 0u, 1u, random);
      break;
    default:
      fill_words<std::uint8_t>(data, tensor->size_bytes(), 1u, 0x3Eu, random);
  }
  return tensor;
}

// Writes number i as element i of the type; false where one does not fit.
bool store(const std::vector<std::int64_t>& values, Tensor& tensor) {
  const auto as = [&]<class T>(T) {
    auto* to = static_cast<T*>(tensor.mutable_data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::in_range<T>(values[i])) return false;
      to[i] = static_cast<T>(values[i]);
    }
    return true;
  };
  switch (tensor.dtype()) {
    case DType::kInt8:
      return as(std::int8_t{});
    case DType::kInt16:
      return as(std::int16_t{});
    case DType::kInt32:
      return as(std::int32_t{});
    case DType::kUInt8:
      return as(std::uint8_t{});
    case DType::kUInt16:
      return as(std::uint16_t{});
    case DType::kUInt32:
      return as(std::uint32_t{});
    case DType::kUInt64:
      return as(std::uint64_t{});
    default:
      return as(std::int64_t{});
  }
}

// Tuples follow the pattern as a whole: a number among all places, taken apart.
std::vector<std::int64_t> index_values(const Plan& plan, IndexPattern pattern, std::int64_t count,
                                       Random& random) {
  std::vector<std::int64_t> extents;
  for (const std::int64_t axis : plan.indexed_axes()) extents.push_back(plan.data().shape[axis]);
  if (plan.op() == OpKind::kTensorScatter) {
    const std::int64_t axis = plan.indexed_axes().front();
    extents = {plan.data().shape[axis] - plan.position_shape()[axis] + 1};
  }
  std::int64_t places = 1;
  for (const std::int64_t extent : extents) places *= extent;
  if (places <= 0 || count == 0) return {};
  const auto parts = static_cast<std::int64_t>(plan.tuples() ? extents.size() : 1);
  auto chosen = make_pattern(pattern, count / parts, places, random);
  if (parts == 1) return chosen;
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t p = extents.size(); p-- > 0; chosen[i] /= extents[p]) {
      values[i * extents.size() + p] = chosen[i] % extents[p];
    }
  }
  return values;
}

// One index value for each place along the axis: a view with strides of 0, as of an Expand, shows it to all
// others.
Shape row_shape(const Plan& plan) {
  const std::int64_t axis = plan.indexed_axes().front();
  Shape shape;
  for (std::int64_t i = 0; i < plan.position_shape().rank(); ++i)
    shape.push_back(i == axis ? plan.position_shape()[i] : 1);
  return shape;
}

Result<Tensor> random_indices(const BenchCase& wanted, const Plan& plan, IndexPattern pattern, Random& random) {
  const bool rows = pattern == IndexPattern::kRows;
  auto indices = Tensor::zeros(wanted.indices->dtype, rows ? row_shape(plan) : wanted.indices->shape);
  if (!indices) return indices;
  if (!store(index_values(plan, pattern, rows ? indices->element_count() : plan.index_count(), random),
             *indices)) {
    return fail(ErrorCode::kInvalidArgument, "--indices {}{}: the type cannot say every place of data",
                dtype_name(wanted.indices->dtype), to_string(wanted.indices->shape));
  }
  return indices;
}

Result<Plan> plan_of(const BenchOptions& options, const BenchCase& wanted) {
  CallParams params{.op = op_kind(wanted.op_type)};
  std::vector<Tensor> elements;  // none: ONNX has numbers and words
  Status set;
  if (wanted.node.empty()) set = set_attributes(params, options, wanted.data.dtype, elements);
  for (const auto& [name, value] : wanted.attributes.ints) {
    if (set) set = set_attribute(params, name, value);
  }
  for (const auto& [name, value] : wanted.attributes.strings) {
    if (set) set = set_attribute(params, name, value);
  }
  if (!set) return fail(std::move(set).error());
  return make_plan(params, wanted.data, wanted.indices, wanted.updates);
}

Result<BenchOperands> operands_of(const BenchOptions& options, BenchCase& wanted) {
  auto plan = plan_of(options, wanted);
  if (!plan) return fail(std::move(plan).error());
  const std::string pattern_name = options.pattern.empty() ? "uniform" : options.pattern;
  const auto pattern = index_pattern_from_name(pattern_name);
  if (!pattern) {
    return fail(ErrorCode::kInvalidArgument, "--pattern '{}' is not known{}", pattern_name,
                choices_text(pattern_name, index_pattern_names()));
  }
  if (*pattern == IndexPattern::kRows && (plan->tuples() || !wanted.op_type.ends_with("Elements"))) {
    return fail(
        ErrorCode::kInvalidArgument,
        "--pattern rows: {} has one index for each row already; GatherElements and ScatterElements have one for "
        "each element",
        wanted.op_type);
  }
  Random random(options.seed * 2 + 1);
  auto data = random_tensor(wanted.data, random);
  if (!data) return fail(std::move(data).error());
  BenchOperands made{std::move(wanted.op_type), std::move(wanted.node), wanted.where, pattern_name,
                     std::move(*plan),          std::move(*data)};
  if (wanted.index_values) {
    made.pattern = "given";
    made.index_shape = wanted.index_values->shape();
    made.indices = std::move(*wanted.index_values);
  } else if (wanted.indices) {
    auto indices = random_indices(wanted, made.plan, *pattern, random);
    if (!indices) return fail(std::move(indices).error());
    made.index_shape = wanted.indices->shape;
    made.indices = std::move(*indices);
  }
  if (!wanted.updates) return made;
  auto updates = random_tensor(*wanted.updates, random);
  if (!updates) return fail(std::move(updates).error());
  made.updates = std::move(*updates);
  return made;
}

}  // namespace

Operands BenchOperands::views() const {
  Operands operands{data.view()};
  if (updates) operands.updates = updates->view();
  if (!indices) return operands;
  operands.indices = indices->view();
  if (indices->shape() == index_shape) return operands;
  Shape strides = dense_strides(indices->shape());
  for (std::int64_t i = 0; i < strides.rank(); ++i)
    strides[i] = indices->shape()[i] == index_shape[i] ? strides[i] : 0;
  operands.indices = TensorView(indices->data(), indices->dtype(), index_shape, strides);
  return operands;
}

Result<BenchOperands> make_bench_operands(const BenchOptions& options) {
  auto wanted = names_model(options) ? case_of_node(options) : case_of_options(options);
  if (!wanted) return fail(std::move(wanted).error());
  auto made = operands_of(options, *wanted);
  if (!made) return fail_in(wanted->where, std::move(made).error());
  return made;
}

}  // namespace strew::app
