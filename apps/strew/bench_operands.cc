// Random operands of a measured call, with index values in a pattern.
#include "bench_operands.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "op_call.h"

namespace strew::app {
namespace {

constexpr std::int64_t kRunLength = 16;
constexpr double kExponent = 1.05;
constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u;

// Returns element i of a permutation of [0, bound), by cycle walking in [0, 2^bits).
std::int64_t permuted(std::int64_t i, std::int64_t bound) {
  const int bits = std::max(2, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bound - 1))));
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  auto x = static_cast<std::uint64_t>(i);
  do {
    for (int round = 0; round < 3; ++round) {
      x = (x * kOdd + 0x1234567u) & mask;
      x ^= x >> ((bits + 1) / 2);
    }
  } while (x >= static_cast<std::uint64_t>(bound));
  return static_cast<std::int64_t>(x);
}

// Draws from a power law by inverse transform sampling. The multiplication scatters the frequent numbers.
std::int64_t skewed(std::int64_t bound, Random& random) {
  const double power = 1 - kExponent;
  const double top = std::pow(static_cast<double>(bound), power) - 1;
  const double u = static_cast<double>(random.next() >> 11) * 0x1p-53;
  const auto rank = static_cast<std::uint64_t>(std::pow(1 + u * top, 1 / power)) - 1;
  return static_cast<std::int64_t>(rank * kOdd % static_cast<std::uint64_t>(bound));
}

// Rejects an unknown operator, and options that the operator does not use.
Status check_options(const BenchOptions& options) {
  if (options.op_type == "Scatter") {
    return fail(ErrorCode::kInvalidArgument,
                "bench: Scatter is the old name of ScatterElements; measure ScatterElements");
  }
  const auto op = find_operator(options.op_type, kNewestOpset);
  if (!op) {  // op.error() would also list Scatter
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < kOperatorCount; ++i)
      names.push_back(operator_info(static_cast<OpKind>(i)).op_type);
    return fail(ErrorCode::kUnsupported, "bench: no operator '{}'{}", options.op_type,
                choices_text(options.op_type, names));
  }
  STREW_TRY(check_attributes("bench", **op, options));
  if (options.op_type.starts_with("Gather") && !options.updates.empty()) {
    return fail(ErrorCode::kInvalidArgument, "bench: {} has no updates", options.op_type);
  }
  const bool is_tensor_scatter = options.op_type == "TensorScatter";
  for (const auto& [name, lacks] : {std::pair("data", options.data.empty()),
                                    {"indices", !is_tensor_scatter && options.indices.empty()},
                                    {"updates", is_tensor_scatter && options.updates.empty()}}) {
    if (lacks) return fail(ErrorCode::kInvalidArgument, "bench: {} needs --{}", options.op_type, name);
  }
  return {};
}

// Returns the type and shape of updates, from --updates or from data and indices.
Result<TensorSpec> update_spec(const BenchOptions& options, const TensorSpec& data,
                               const std::optional<TensorSpec>& indices) {
  if (!options.updates.empty()) return parse_spec(options.updates, "--updates");
  if (options.op_type != "ScatterND") return TensorSpec(data.dtype, indices->shape);
  const Shape& tuples = indices->shape;
  Shape shape;
  for (std::int64_t axis = 0; axis + 1 < tuples.rank(); ++axis) shape.push_back(tuples[axis]);
  for (std::int64_t axis = tuples.empty() ? 0 : tuples[tuples.rank() - 1]; axis < data.shape.rank(); ++axis)
    shape.push_back(data.shape[axis]);
  return TensorSpec(data.dtype, shape);
}

// Fills a tensor with random elements, since calls on zeros are faster. Floats are in [1, 2), never subnormal.
template <class Word>
void fill_words(Tensor& tensor, std::uint64_t one, std::uint64_t fraction, Random& random) {
  auto* words = static_cast<Word*>(tensor.mutable_data());
  const std::int64_t count = tensor.size_bytes() / static_cast<std::int64_t>(sizeof(Word));
  for (std::int64_t i = 0; i < count; ++i) words[i] = static_cast<Word>(one | (random.next() >> 11 & fraction));
}

Result<Tensor> random_tensor(const TensorSpec& spec, Random& random) {
  if (spec.dtype == DType::kString) return fail(ErrorCode::kUnsupported, "bench: strings are not measured");
  auto tensor = Tensor::uninitialized(spec.dtype, spec.shape);
  if (!tensor) return tensor;
  if (spec.dtype == DType::kFloat32) {
    fill_words<std::uint32_t>(*tensor, 0x3F800000u, 0x7FFFFFu, random);
  } else if (spec.dtype == DType::kFloat64) {
    fill_words<std::uint64_t>(*tensor, 0x3FF0000000000000u, 0xFFFFFFFFFFFFFu, random);
  } else if (spec.dtype == DType::kFloat16) {
    fill_words<std::uint16_t>(*tensor, 0x3C00u, 0x3FFu, random);
  } else if (spec.dtype == DType::kBFloat16) {
    fill_words<std::uint16_t>(*tensor, 0x3F80u, 0x7Fu, random);
  } else {
    const bool is_bool = spec.dtype == DType::kBool;
    fill_words<std::uint8_t>(*tensor, is_bool ? 0u : 1u, is_bool ? 1u : 0x3Eu, random);
  }
  return tensor;
}

// Writes the values if T is the tensor's type and all values are in its range; else returns false.
template <class T>
bool store_as(const std::vector<std::int64_t>& values, Tensor& tensor) {
  if (tensor.dtype() != dtype_of<T> || !std::ranges::all_of(values, std::in_range<T, std::int64_t>)) return false;
  std::ranges::transform(values, static_cast<T*>(tensor.mutable_data()),
                         [](auto value) { return static_cast<T>(value); });
  return true;
}

template <class... T>
bool store(const std::vector<std::int64_t>& values, Tensor& tensor) {
  return (store_as<T>(values, tensor) || ...);
}

// Returns index values in a pattern. If indices are tuples, the pattern is drawn for flat positions along all
// indexed axes, and each flat position is split into the components of a tuple.
std::vector<std::int64_t> index_values(const Plan& plan, IndexPattern pattern, Random& random) {
  std::vector<std::int64_t> extents;
  for (const std::int64_t axis : plan.indexed_axes()) extents.push_back(plan.data().shape[axis]);
  if (plan.op() == OpKind::kTensorScatter) {
    const std::int64_t axis = plan.indexed_axes().front();
    extents = {plan.data().shape[axis] - plan.position_shape()[axis] + 1};
  }
  std::int64_t places = 1;
  for (const std::int64_t extent : extents) places *= extent;
  const std::int64_t count = plan.index_count();
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

Result<Tensor> random_indices(const TensorSpec& spec, const Plan& plan, IndexPattern pattern, Random& random) {
  auto indices = Tensor::zeros(spec.dtype, spec.shape);
  if (!indices) return indices;
  if (!store<std::int64_t, std::int32_t, std::int16_t, std::int8_t, std::uint64_t, std::uint32_t, std::uint16_t,
             std::uint8_t>(index_values(plan, pattern, random), *indices)) {
    return fail(ErrorCode::kInvalidArgument, "--indices {}{}: the type cannot represent every position in data",
                dtype_name(spec.dtype), to_string(spec.shape));
  }
  return indices;
}

Result<Plan> plan_bench(const BenchOptions& options, const TensorSpec& data,
                        const std::optional<TensorSpec>& indices, const std::optional<TensorSpec>& updates) {
  CallParams params{.op = op_kind(options.op_type)};
  std::vector<Tensor> elements;  // of fill_value and alpha; stays empty, since bench has neither
  STREW_TRY(set_attributes(params, options, data.dtype, elements));
  return make_plan(params, data, indices, updates);
}

}  // namespace

std::optional<IndexPattern> index_pattern_from_name(std::string_view name) noexcept {
  const auto found = std::ranges::find(kIndexPatterns, name);
  if (found == kIndexPatterns.end()) return std::nullopt;
  return static_cast<IndexPattern>(found - kIndexPatterns.begin());
}

std::vector<std::int64_t> make_pattern(IndexPattern pattern, std::int64_t count, std::int64_t bound,
                                       Random& random) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::int64_t i = 0;
  for (std::int64_t& value : values) {
    value = pattern == IndexPattern::kEqual                         ? bound / 2
            : pattern == IndexPattern::kPermutation                 ? permuted(i % bound, bound)
            : pattern == IndexPattern::kSkewed                      ? skewed(bound, random)
            : pattern == IndexPattern::kRuns && i % kRunLength != 0 ? (&value)[-1]
                                                                    : random.below(bound);
    ++i;
  }
  if (pattern == IndexPattern::kSorted) std::sort(values.begin(), values.end());
  return values;
}

Operands BenchOperands::views() const {
  Operands operands{data.view()};
  if (indices) operands.indices = indices->view();
  if (updates) operands.updates = updates->view();
  return operands;
}

Result<TensorSpec> parse_spec(const std::string& text, const std::string& option) {
  const auto refusal = [&] {
    return fail(ErrorCode::kInvalidArgument, "{} {}: write a type and a shape, as in float32[1024,64]", option,
                text);
  };
  const std::size_t open = text.find('[');
  if (open == std::string::npos || !text.ends_with(']')) return refusal();
  STREW_ASSIGN(const DType dtype, find_dtype(text.substr(0, open), fmt::format("{} {}", option, text)));
  Shape shape;
  const char* at = text.data() + open + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at != end) {
    std::int64_t extent = 0;
    const auto [after, fault] = std::from_chars(at, end, extent);
    if (fault != std::errc() || extent < 0 || (after != end && (*after != ',' || after + 1 == end))) {
      return refusal();
    }
    shape.push_back(extent);
    at = after == end ? end : after + 1;
  }
  if (shape.rank() > kMaxRank || element_count(shape) < 0) return refusal();
  return TensorSpec(dtype, shape);
}

Result<BenchOperands> make_bench_operands(const BenchOptions& options) {
  STREW_TRY(check_options(options));
  const auto pattern = index_pattern_from_name(options.pattern);
  if (!pattern) {
    return fail(ErrorCode::kInvalidArgument, "--pattern '{}' is not known{}", options.pattern,
                choices_text(options.pattern, kIndexPatterns));
  }
  STREW_ASSIGN(const auto& data_spec, parse_spec(options.data, "--data"));
  std::optional<TensorSpec> index_spec, updates_spec;
  if (!options.indices.empty()) {
    STREW_ASSIGN(index_spec, parse_spec(options.indices, "--indices"));
  }
  if (!options.op_type.starts_with("Gather")) {
    STREW_ASSIGN(updates_spec, update_spec(options, data_spec, index_spec));
  }
  STREW_ASSIGN(auto&& plan, plan_bench(options, data_spec, index_spec, updates_spec));
  Random random(options.seed * 2 + 1);
  STREW_ASSIGN(auto&& data, random_tensor(data_spec, random));
  BenchOperands bench{std::move(plan), std::move(data)};
  if (index_spec) {
    STREW_ASSIGN(bench.indices, random_indices(*index_spec, bench.plan, *pattern, random));
  }
  if (updates_spec) {
    STREW_ASSIGN(bench.updates, random_tensor(*updates_spec, random));
  }
  return bench;
}

}  // namespace strew::app
