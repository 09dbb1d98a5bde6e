// Which nodes are taken, and why not the others.
#include "claims.h"

#include <algorithm>

#include "strew/operators.h"

namespace strew::ort {
namespace {

// Below, ONNX Runtime's own GatherElements takes hardly more time than a plug-in's node that does nothing.
constexpr std::int64_t kFewElements = 1024;

bool is_op(const std::optional<Node>& node, std::string_view op_type) {
  return node && node->op_type() == op_type;
}

bool is_sum_of_gathers(const Api& api, const Node& add) {
  const auto is_gather_or_sum = [&](std::size_t i) {
    const std::optional<Node> from = producer(api, add.input(i));
    return is_op(from, "Gather") || is_op(from, "Add");
  };
  return add.op_type() == "Add" && is_gather_or_sum(0) && is_gather_or_sum(1);
}

// ONNX Runtime fuses some Gathers with their neighbours after the providers have chosen; one that is taken would
// stop it. Embeddings are constant; sums of other rows, as over the edges of a graph, it does not fuse.
std::optional<std::string> reason_by_neighbours(const Api& api, const Node& node) {
  const std::optional<Node> before = producer(api, node.input(0));
  if (is_op(before, "DequantizeLinear")) return "its data is dequantised, which ONNX Runtime removes or fuses";
  const std::vector<Use> after = uses(api, node.output(0));
  if (std::ranges::any_of(after, [](const Use& use) { return use.node.op_type() == "QuantizeLinear"; })) {
    return "its output is quantised, which ONNX Runtime removes or fuses";
  }
  if (node.op_type() != "Gather") return std::nullopt;
  if (is_op(before, "Shape")) return "it reads a shape, which ONNX Runtime simplifies";
  const auto is_sum = [&](const Use& use) { return is_sum_of_gathers(api, use.node); };
  if (is_constant(api, node.input(0)) && std::ranges::any_of(after, is_sum)) {
    return "it is summed with other embeddings, which ONNX Runtime fuses";
  }
  return std::nullopt;
}

// ONNX Runtime's Gather copies the first string of each row only, and is right where a row is one string; it has
// no TensorScatter of strings.
std::optional<std::string> reason_by_strings(const Node& node, const ValueType& data) {
  const std::string left = "ONNX Runtime is faster with its own strings";
  if (node.op_type() == "TensorScatter") return std::nullopt;
  if (node.op_type() != "Gather") return left;
  if (!data.dims) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(data.dims->size());
  const std::int64_t axis = node.int_attribute("axis").value_or(0);
  const std::int64_t first = (axis < 0 ? axis + rank : axis) + 1;
  if (first < 1 || first > rank) return left;
  const bool single = std::all_of(data.dims->begin() + first, data.dims->end(), [](auto dim) { return dim == 1; });
  return single ? std::optional(left) : std::nullopt;
}

std::optional<std::string> reason_by_size(const Api& api, const Node& node) {
  if (node.op_type() != "GatherElements") return std::nullopt;
  const ValueType indices = value_type(api, node.input(1));
  if (!indices.dims) return std::nullopt;
  std::int64_t count = 1;
  for (const std::int64_t dim : *indices.dims) {
    if (dim < 0) return std::nullopt;
    count = std::min(count * std::min(dim, kFewElements), kFewElements);
  }
  if (count >= kFewElements) return std::nullopt;
  return "it has so few elements that ONNX Runtime is faster; name the option operators to have it taken";
}

// A text that is no reduction at all is taken, so that the session is refused: ONNX Runtime would run it as
// "none".
std::optional<std::string> reason_by_reduction(const Node& node) {
  const std::optional<std::string> reduction = node.string_attribute("reduction");
  if (!reduction || !model_reduction_from_name(*reduction)) return std::nullopt;
  const Result<const OperatorVersion*> version = find_operator(node.op_type(), node.since_version());
  if (!version) return version.error().message;
  for (const AttributeInfo& attribute : (*version)->attributes) {
    if (attribute.name != "reduction" || std::ranges::count(attribute.legal_strings, *reduction) != 0) continue;
    return "reduction '" + *reduction + "' is not in version " + std::to_string(node.since_version()) +
           " of the operator";
  }
  return std::nullopt;
}

}  // namespace

bool is_candidate(const Node& node) {
  if (!node.in_onnx_domain()) return false;
  const std::string_view op_type = node.op_type();
  return std::ranges::any_of(operator_versions(), [&](const OperatorVersion& v) { return v.op_type == op_type; });
}

bool moves_elements(const Node& node) {
  const std::string_view op_type = node.op_type();
  return op_type == "ScatterElements" || op_type == "Scatter" || op_type == "GatherElements";
}

std::optional<std::string> reason_against(const Api& api, const Node& node, const ProviderOptions& options) {
  const std::string op_type(node.op_type());
  if (!options.operators.contains(op_type)) return "the option operators leaves it out";
  const ValueType data = value_type(api, node.input(0));
  if (data.dtype == DType::kString) {
    if (auto reason = reason_by_strings(node, data)) return reason;
  }
  if (op_type == "Gather" || op_type == "GatherElements") {
    if (auto reason = reason_by_neighbours(api, node)) return reason;
    return options.operators_named ? std::nullopt : reason_by_size(api, node);
  }
  return reason_by_reduction(node);
}

}  // namespace strew::ort
