#include "claims.h"

#include <algorithm>

#include "strew/operators.h"

namespace strew::ort {
namespace {

// For fewer elements, a plug-in's kernel that does nothing takes almost as long as ONNX Runtime's GatherElements.
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

struct Candidate {
  const Api& api;
  const Node& node;
  const ProviderOptions& options;
  ValueType data;

  bool is(std::string_view op_type) const { return node.op_type() == op_type; }
};

using Reason = std::optional<std::string>;

Reason by_option(const Candidate& one) {
  if (one.options.operators.contains(std::string(one.node.op_type()))) return std::nullopt;
  return "it is not listed in the option operators";
}

// Leaves strings to ONNX Runtime, with two exceptions: its Gather copies only the first string of each row, and it
// has no TensorScatter for strings.
Reason by_strings(const Candidate& one) {
  if (one.data.dtype != DType::kString || one.is("TensorScatter")) return std::nullopt;
  const std::string left = "ONNX Runtime is faster with its own strings";
  if (!one.is("Gather")) return left;
  if (!one.data.dims) return std::nullopt;
  const auto& dims = *one.data.dims;
  const auto rank = static_cast<std::int64_t>(dims.size());
  const std::int64_t axis = one.node.int_attribute("axis").value_or(0);
  const std::int64_t first = (axis < 0 ? axis + rank : axis) + 1;
  if (first < 1 || first > rank) return left;
  const bool single = std::all_of(dims.begin() + first, dims.end(), [](auto dim) { return dim == 1; });
  return single ? Reason(left) : std::nullopt;
}

// This rule and the next two leave gathers to ONNX Runtime if it later fuses or simplifies them. A claim would
// prevent that.
Reason by_quantisation(const Candidate& one) {
  if (!one.is("Gather") && !one.is("GatherElements")) return std::nullopt;
  if (is_op(producer(one.api, one.node.input(0)), "DequantizeLinear")) {
    return "its data come from DequantizeLinear, which ONNX Runtime removes or fuses";
  }
  const std::vector<Use> after = uses(one.api, one.node.output(0));
  if (std::ranges::none_of(after, [](const Use& use) { return use.node.op_type() == "QuantizeLinear"; })) {
    return std::nullopt;
  }
  return "its output goes into QuantizeLinear, which ONNX Runtime removes or fuses";
}

Reason by_shape(const Candidate& one) {
  if (!one.is("Gather") || !is_op(producer(one.api, one.node.input(0)), "Shape")) return std::nullopt;
  return "it reads a shape, which ONNX Runtime simplifies";
}

// Requires constant data: ONNX Runtime fuses sums of embeddings, but not sums of node features in graph networks.
Reason by_embeddings(const Candidate& one) {
  if (!one.is("Gather") || !is_constant(one.api, one.node.input(0))) return std::nullopt;
  const std::vector<Use> after = uses(one.api, one.node.output(0));
  const auto is_sum = [&](const Use& use) { return is_sum_of_gathers(one.api, use.node); };
  if (std::ranges::none_of(after, is_sum)) return std::nullopt;
  return "it is summed with other embeddings, which ONNX Runtime fuses";
}

Reason by_size(const Candidate& one) {
  if (!one.is("GatherElements") || one.options.operators_named) return std::nullopt;
  const ValueType indices = value_type(one.api, one.node.input(1));
  if (!indices.dims) return std::nullopt;
  std::int64_t count = 1;
  for (const std::int64_t dim : *indices.dims) {
    if (dim < 0) return std::nullopt;
    count = std::min(count * std::min(dim, kFewElements), kFewElements);
  }
  if (count >= kFewElements) return std::nullopt;
  return "it has so few elements that ONNX Runtime is faster; set the option operators to run it on Strew";
}

bool is_legal(const OperatorVersion& version, std::string_view attribute, std::string_view word) {
  return std::ranges::any_of(version.attributes, [&](const AttributeInfo& one) {
    return one.name == attribute && std::ranges::count(one.legal_strings, word) != 0;
  });
}

// Leaves a node to ONNX Runtime if its reduction exists only in later versions of the operator. Claims a node with
// an unknown reduction, so that the session fails: ONNX Runtime would run it as "none".
Reason by_version(const Candidate& one) {
  const auto version = find_operator(one.node.op_type(), one.node.since_version());
  if (!version) return version.error().message();
  const auto newest = find_operator(one.node.op_type(), kNewestOpset);
  for (const AttributeInfo& attribute : (*newest)->attributes) {
    if (!attribute.is_string()) continue;
    const std::string name(attribute.name);
    const std::optional<std::string> word = one.node.string_attribute(name.c_str());
    if (!word || !is_legal(**newest, name, *word) || is_legal(**version, name, *word)) continue;
    return name + " '" + *word + "' is not in version " + std::to_string(one.node.since_version()) +
           " of the operator";
  }
  return std::nullopt;
}

// Rules that leave nodes to ONNX Runtime; the first reason counts. docs/onnxruntime.md has the same table.
struct Rule {
  Reason (*reason)(const Candidate&);
  const char* node;
  const char* why;
};
constexpr Rule kRules[] = {
    {by_option, "a node whose operator the option `operators` does not list", "the user chose the operators"},
    {by_strings, "a node with strings, except TensorScatter and some Gathers",
     "ONNX Runtime passes strings to a provider one by one, which is slow"},
    {by_quantisation, "Gather or GatherElements after DequantizeLinear or before QuantizeLinear",
     "ONNX Runtime removes quantization operators only around its own nodes"},
    {by_shape, "Gather of the output of Shape",
     "a claim would keep ONNX Runtime from simplifying arithmetic with shapes"},
    {by_embeddings, "Gather of constant data, if its output is added to the output of another Gather",
     "a claim would keep ONNX Runtime from fusing such sums of embeddings"},
    {by_size, "GatherElements whose indices have a known shape of fewer than 1024 elements",
     "a plug-in kernel that does nothing takes almost as long as ONNX Runtime's"},
    {by_version, "a node with a reduction that its version lacks (`max` before opset 18)",
     "the model is not valid ONNX, but ONNX Runtime runs it"},
};

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

std::optional<Dims> index_dims(const Api& api, const Node& gather) {
  const bool by_tuples = gather.is("GatherND");
  if (!by_tuples && !gather.is("Gather")) return std::nullopt;
  std::optional<Dims> dims = value_type(api, gather.input(kIndicesInput)).dims;
  if (!by_tuples || !dims) return dims;
  if (gather.int_attribute("batch_dims").value_or(0) != 0 || dims->empty() || dims->back() != 1)
    return std::nullopt;
  dims->pop_back();
  return dims;
}

std::optional<std::string> reason_against(const Api& api, const Node& node, const ProviderOptions& options) {
  const Candidate one{api, node, options, value_type(api, node.input(0))};
  for (const Rule& rule : kRules) {
    if (Reason reason = rule.reason(one)) return reason;
  }
  return std::nullopt;
}

}  // namespace strew::ort
