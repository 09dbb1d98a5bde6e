// Checks a graph's names, node order and declared types, and infers the types of its values node by node.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/size.h"
#include "onnx/dims.h"
#include "onnx/graph.h"
#include "onnx/node_rules.h"

namespace strew {
namespace {

// Maximum number of bytes that a process can address (on x86-64 with five levels of page tables).
constexpr std::int64_t kMaxAddressable = std::int64_t{1} << 56;

ValueInfo make_info(const std::string& name, const Tensor& tensor) {
  return {name, tensor.dtype(), to_dims(tensor.shape())};
}

class GraphChecker {
 public:
  /// `outer`: checks the surrounding graph, whose values this graph can use; nullptr if there is none.
  GraphChecker(const Graph& graph, const GraphChecker* outer, CheckReport& report)
      : graph_(graph), outer_(outer), report_(report), first_(static_cast<std::int64_t>(report.nodes.size())) {}

  void run() {
    for (const Error& error : graph_.errors) violation(kModel, error);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const std::string& output : graph_.nodes[i].info.outputs) maker_.emplace(output, i);
    }
    for (const ValueInfo& value : graph_.declared) declared_.insert_or_assign(value.name, value);
    others_.insert(graph_.others.begin(), graph_.others.end());
    define_inputs();
    define_initializers();
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) check_node(static_cast<std::int64_t>(i));
    for (const ValueInfo& output : graph_.outputs) check_output(output);
  }

 private:
  static constexpr std::int64_t kModel = -1;
  const GraphNode& node_at(std::int64_t node) const { return graph_.nodes[static_cast<std::size_t>(node)]; }

  // Reports a violation in a node of this graph, or in the graph itself if `node` is kModel.
  void violation(std::int64_t node, Error error) {
    if (!graph_.location.empty()) error = found_in(graph_.location, std::move(error));
    if (node == kModel) {
      report_.violations.push_back({"", std::move(error)});
    } else {
      report_.violations.push_back({node_at(node).info.name, std::move(error), first_ + node});
    }
  }

  template <class... Parts>
  void violation(ErrorCode code, const Parts&... parts) {
    violation(kModel, Error{code, concat(parts...)});
  }

  // Searches this graph, then the surrounding ones.
  const ValueInfo* find_value(const std::string& name) const {
    for (const GraphChecker* at = this; at != nullptr; at = at->outer_) {
      const auto found = at->known_.find(name);
      if (found != at->known_.end()) return &found->second;
    }
    return nullptr;
  }

  const Tensor* find_constant(const std::string& name) const {
    for (const GraphChecker* at = this; at != nullptr; at = at->outer_) {
      const auto found = at->constants_.find(name);
      if (found != at->constants_.end()) return found->second;
      if (at->known_.contains(name)) return nullptr;
    }
    return nullptr;
  }

  bool is_other(const std::string& name) const {
    for (const GraphChecker* at = this; at != nullptr; at = at->outer_) {
      if (at->others_.contains(name)) return true;
    }
    return false;
  }

  void define_inputs() {
    for (const ValueInfo& input : graph_.inputs) {
      if (!known_.emplace(input.name, input).second) {
        violation(ErrorCode::kInvalidModel, "two inputs are named '", input.name, "'");
      }
    }
  }

  void define_initializers() {
    for (std::size_t at = 0; at < graph_.initializers.size(); ++at) {
      const auto& [name, tensor] = graph_.initializers[at];
      const auto first = graph_.initializer_at.find(name);
      if (first != graph_.initializer_at.end() && first->second == at)
        define_initializer(make_info(name, tensor), &tensor);
    }
    for (const ValueInfo& info : graph_.sparse) {
      define_initializer(info, nullptr);
      report_.sparse.push_back(info.name);
    }
  }

  void define_initializer(const ValueInfo& info, const Tensor* tensor) {
    const std::string& name = info.name;
    const auto [input, no_input] = known_.emplace(name, info);
    const bool is_default = graph_.initializers_are_defaults();
    if (tensor != nullptr && (no_input || !is_default)) constants_.emplace(name, tensor);
    if (no_input && !is_default) {
      violation(ErrorCode::kInvalidModel, "initializer '", name, "' is not a graph input; ir_version ",
                graph_.ir_version, " requires it to be one");
    }
    if (const auto why = contradiction(input->second, info)) {
      violation(ErrorCode::kInvalidModel, "initializer '", name, "' does not match the declared input: ", *why);
    } else if (!is_default) {
      merge(input->second, info);
    }
  }

  void check_node(std::int64_t index) {
    const GraphNode& node = node_at(index);
    std::vector<Error> errors = node.errors;
    const bool checked = node.kind != GraphNode::Kind::kUnsupported;
    CheckReport::Node entry{node.info, checked, {}, {}};
    for (const std::string& name : node.info.inputs) {
      entry.inputs.push_back(find_input(name, errors));
      if (node.kind == GraphNode::Kind::kOperator && is_other(name)) {
        add_error(errors, ErrorCode::kInvalidModel, "input '", name, "' is not a dense tensor");
      }
    }
    std::optional<ValueInfo> output;
    if (checked) output = infer(node, entry.inputs, errors);
    if (node.is_sparse && !node.info.outputs.empty()) report_.sparse.push_back(node.info.outputs[0]);
    for (std::size_t i = 0; i < node.info.outputs.size(); ++i) {
      ValueInfo value = i == 0 && output ? *output : ValueInfo{};
      value.name = node.info.outputs[i];
      if (!checked) {
        value = declared_output(value.name);
        const Tensor* second = node.info.inputs.size() > 1 ? find_constant(node.info.inputs[1]) : nullptr;
        if (i == 0) infer_other(node, graph_.opset, entry.inputs, second, value);
      }
      if (!value.name.empty()) define(value, errors);
      check_size(value, errors);
      entry.outputs.push_back(std::move(value));
    }
    const std::string where = node_where(node.info);
    for (Error& error : errors) {
      if (node.op != nullptr) error.details().subject.op = op_name(node.op->op);
      violation(index, found_in(where, std::move(error)));
    }
    report_.nodes.push_back(std::move(entry));
  }

  // Returns the declared type and shape of an output of an operator that is not checked.
  ValueInfo declared_output(const std::string& name) const {
    const auto found = std::ranges::find(graph_.outputs, name, &ValueInfo::name);
    if (found != graph_.outputs.end()) return *found;
    const auto declared = declared_.find(name);
    return declared == declared_.end() ? ValueInfo{name} : declared->second;
  }

  ValueInfo find_input(const std::string& name, std::vector<Error>& errors) {
    if (name.empty()) return {};
    if (const ValueInfo* found = find_value(name)) return *found;
    const auto maker = maker_.find(name);
    add_error(errors, ErrorCode::kInvalidModel,
              maker == maker_.end()
                  ? concat("input '", name, "' is not produced by any node")
                  : concat("input '", name, "' is produced by node '", graph_.nodes[maker->second].info.name,
                           "', which does not come before this one; nodes must be in topological order"));
    return {name};
  }

  std::optional<ValueInfo> infer(const GraphNode& node, const std::vector<ValueInfo>& inputs,
                                 std::vector<Error>& errors) {
    const bool named = !node.info.outputs.empty();
    if (node.kind == GraphNode::Kind::kOperator) {
      if (node.op == nullptr) return std::nullopt;
      if (!node.has_parameters)
        return infer_output(*node.op, inputs, node.info.attributes, constant_indices(node), errors);
      auto types = inputs;  // calls of the enclosing function set some attributes, so only types can be checked
      for (ValueInfo& input : types) input.shape.reset();
      return infer_output(*node.op, types, node.info.attributes, nullptr, errors);
    }
    std::optional<ValueInfo> output;
    if (node.kind == GraphNode::Kind::kConstant && node.constant) {
      output = make_info("", *node.constant);
      if (named) constants_.emplace(node.info.outputs[0], &*node.constant);
    } else if (node.kind == GraphNode::Kind::kIdentity && !inputs.empty()) {
      output = inputs[0];
      const Tensor* constant = find_constant(node.info.inputs[0]);
      if (named && constant != nullptr) constants_.emplace(node.info.outputs[0], constant);
    }
    if (output && output->dtype && graph_.opset > 0 && plain_first_opset(*output->dtype) > graph_.opset) {
      add_error(errors, ErrorCode::kInvalidType, node.info.op_type, " does not support ",
                dtype_name(*output->dtype), " before opset ", plain_first_opset(*output->dtype));
    }
    return output;
  }

  const Tensor* constant_indices(const GraphNode& node) const {
    for (std::size_t i = 0; i < node.op->inputs.size() && i < node.info.inputs.size(); ++i) {
      if (node.op->inputs[i].is_index()) return find_constant(node.info.inputs[i]);
    }
    return nullptr;
  }

  // Adds the output of a node to the known values, merged with its declaration in value_info.
  void define(ValueInfo& value, std::vector<Error>& errors) {
    const auto declared = declared_.find(value.name);
    if (declared != declared_.end()) {
      if (const auto why = contradiction(value, declared->second)) {
        add_error(errors, ErrorCode::kInvalidModel, "output '", value.name, "' does not match value_info: ", *why);
      } else {
        merge(value, declared->second);
      }
    }
    if (!known_.emplace(value.name, value).second) {
      add_error(errors, ErrorCode::kInvalidModel, "output '", value.name, "' has the same name as another value");
    }
  }

  // Rejects sizes that exceed any address space; a run rejects sizes that exceed this machine's memory.
  static void check_size(const ValueInfo& value, std::vector<Error>& errors) {
    const auto shape = value.shape && value.dtype ? known_shape(*value.shape) : std::nullopt;
    if (!shape) return;
    const std::string what = concat("output '", value.name, "'");
    const auto count = checked_element_count("", what, *value.dtype, *shape);
    if (!count) {
      errors.push_back(count.error());
    } else if (const std::int64_t bytes = size_bytes(*value.dtype, *count); bytes > kMaxAddressable) {
      add_error(errors, ErrorCode::kInvalidArgument, what, ", ", to_string(value), ", takes ", bytes,
                " bytes; a process can address at most 2^56 = ", kMaxAddressable);
    }
  }

  void check_output(const ValueInfo& output) {
    const ValueInfo* const found = find_value(output.name);
    if (found == nullptr) {
      violation(ErrorCode::kInvalidModel, "output '", output.name, "' is not produced by any node");
      return;
    }
    const auto why = contradiction(*found, output);
    if (!why) return;
    const auto maker = maker_.find(output.name);
    const std::int64_t node = maker == maker_.end() ? kModel : static_cast<std::int64_t>(maker->second);
    Error error{ErrorCode::kInvalidModel,
                concat("output '", output.name, "' does not match the graph's declaration: ", *why)};
    if (node != kModel) error = found_in(node_where(node_at(node).info), std::move(error));
    violation(node, std::move(error));
  }

  const Graph& graph_;
  const GraphChecker* outer_;
  CheckReport& report_;
  const std::int64_t first_;                            // position of the graph's first node in the report
  std::unordered_set<std::string> others_;              // values that are not dense tensors
  std::unordered_map<std::string, std::size_t> maker_;  // node by the name of its output
  std::unordered_map<std::string, ValueInfo> declared_;
  std::unordered_map<std::string, ValueInfo> known_;          // values defined so far
  std::unordered_map<std::string, const Tensor*> constants_;  // values with known elements
};

}  // namespace

CheckReport check_graphs(const LoadedModel& model) {
  CheckReport report;
  GraphChecker own(model.graph, nullptr, report);
  own.run();
  std::vector<std::unique_ptr<GraphChecker>> inner;
  inner.reserve(model.inner.size());
  for (const InnerGraph& graph : model.inner) {
    const GraphChecker* const outer = graph.graph.is_function ? nullptr
                                      : graph.outer           ? inner[*graph.outer].get()
                                                              : &own;
    inner.push_back(std::make_unique<GraphChecker>(graph.graph, outer, report));
    inner.back()->run();
  }
  std::vector<const NodeInfo*> others;
  for (const CheckReport::Node& node : report.nodes) {
    if (!node.checked) others.push_back(&node.info);
  }
  report.unchecked = count_operators(others);
  return report;
}

}  // namespace strew
