// What strew bench measures, from its options.
#include "bench_case.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "attributes.h"

namespace strew::app {
namespace {

constexpr std::array<std::string_view, 6> kOperators = {"Gather",          "GatherElements", "GatherND",
                                                        "ScatterElements", "ScatterND",      "TensorScatter"};

// Refuses an option that the operator has no use for.
Status check_options(const BenchOptions& options) {
  const auto op = find_operator(options.op_type, kNewestOpset);
  if (!op) return fail(op.error());
  if (Status checked = check_attributes("bench", **op, options); !checked) return checked;
  if (options.op_type.starts_with("Gather") && !options.updates.empty()) {
    return fail(ErrorCode::kInvalidArgument, "bench: {} has no updates", options.op_type);
  }
  return {};
}

}  // namespace

Result<TensorSpec> parse_spec(const std::string& text, const std::string& option) {
  const auto refusal = [&] {
    return fail(ErrorCode::kInvalidArgument, "{} {}: write a type and a shape, as in float32[1024,64]", option,
                text);
  };
  const std::size_t open = text.find('[');
  if (open == std::string::npos || !text.ends_with(']')) return refusal();
  const auto dtype = find_dtype(text.substr(0, open), fmt::format("{} {}", option, text));
  if (!dtype) return fail(dtype.error());
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
  return TensorSpec(*dtype, shape);
}

Result<TensorSpec> update_spec(std::string_view op_type, const TensorSpec& data, const TensorSpec& indices) {
  if (op_type != "ScatterND") return TensorSpec(data.dtype, indices.shape);
  Shape shape;
  for (std::int64_t axis = 0; axis + 1 < indices.shape.rank(); ++axis) shape.push_back(indices.shape[axis]);
  const std::int64_t parts = indices.shape.empty() ? 0 : indices.shape[indices.shape.rank() - 1];
  for (std::int64_t axis = std::max<std::int64_t>(parts, 0); axis < data.shape.rank(); ++axis) {
    shape.push_back(data.shape[axis]);
  }
  return TensorSpec(data.dtype, shape);
}

Result<BenchCase> case_of_options(const BenchOptions& options) {
  if (options.op_type == "Scatter") {
    return fail(ErrorCode::kInvalidArgument,
                "bench: Scatter is the old name of ScatterElements; measure ScatterElements");
  }
  if (std::ranges::find(kOperators, options.op_type) == kOperators.end()) {
    return fail(ErrorCode::kInvalidArgument, "bench: no operator '{}'{}", options.op_type,
                choices_text(options.op_type, kOperators));
  }
  if (Status checked = check_options(options); !checked) return fail(std::move(checked).error());
  for (const auto& [name, given] : {std::pair("--dim", !options.dims.empty()), {"-i", !options.inputs.empty()}}) {
    if (given) return fail(ErrorCode::kInvalidArgument, "bench: {} is for a node of a model", name);
  }
  if (options.data.empty()) return fail(ErrorCode::kInvalidArgument, "bench: {} needs --data", options.op_type);
  auto data = parse_spec(options.data, "--data");
  if (!data) return fail(std::move(data).error());
  BenchCase wanted{options.op_type, "", "", {}, std::move(*data)};
  if (!options.indices.empty()) {
    auto spec = parse_spec(options.indices, "--indices");
    if (!spec) return fail(std::move(spec).error());
    wanted.indices = std::move(*spec);
  }
  const bool is_tensor_scatter = options.op_type == "TensorScatter";
  if (is_tensor_scatter ? options.updates.empty() : !wanted.indices) {
    return fail(ErrorCode::kInvalidArgument, "bench: {} needs --{}", options.op_type,
                is_tensor_scatter ? "updates" : "indices");
  }
  if (!options.op_type.starts_with("Gather")) {
    auto spec = options.updates.empty() ? update_spec(options.op_type, wanted.data, *wanted.indices)
                                        : parse_spec(options.updates, "--updates");
    if (!spec) return fail(std::move(spec).error());
    wanted.updates = std::move(*spec);
  }
  return wanted;
}

}  // namespace strew::app
