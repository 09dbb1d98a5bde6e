// Finds values that an If returns unchanged, if the graph proves which branch runs.
#include <algorithm>

#include "claims.h"

namespace strew::ort {
namespace {

// Returns the value V if the graph computes `rank` as Size(Shape(V)); otherwise nullptr.
const OrtValueInfo* value_of_rank(const Api& api, const OrtValueInfo* rank) {
  const std::optional<Node> size = producer(api, rank);
  if (!size || !size->is("Size")) return nullptr;
  return value_of_shape(api, size->input(0));
}

bool is_zero(const Api& api, const OrtValueInfo* value) {
  return constant_integers(api, value) == std::vector<std::int64_t>{0};
}

// Returns the else branch of an If that tests a tensor for rank 0, if the graph proves that the tensor has axes.
const OrtGraph* branch_that_runs(const Api& api, const Node& node) {
  if (!node.is("If")) return nullptr;
  const std::optional<Node> equal = producer(api, node.input(0));
  if (!equal || !equal->is("Equal")) return nullptr;
  const bool rank_first = is_zero(api, equal->input(1));
  if (!rank_first && !is_zero(api, equal->input(0))) return nullptr;
  const OrtValueInfo* ranked = value_of_rank(api, equal->input(rank_first ? 0 : 1));
  if (ranked == nullptr) return nullptr;
  const std::optional<Dims> dims = value_type(api, ranked).dims;
  return dims && !dims->empty() ? node.subgraph("else_branch") : nullptr;
}

// True if a Reshape gives the value one axis. Ignores the declared shape, which may differ.
bool has_one_axis(const Api& api, const OrtValueInfo* value) {
  const std::optional<Node> reshape = producer(api, value);
  if (!reshape || !reshape->is("Reshape")) return false;
  const auto shape = constant_integers(api, reshape->input(1));
  return shape && shape->size() == 1;
}

// Returns the position of the value among the outputs, or the number of outputs if it is not among them.
std::size_t find_output(const Api& api, const std::vector<const OrtValueInfo*>& outputs,
                        const OrtValueInfo* value) {
  const auto same = [&](const OrtValueInfo* output) { return value_name(api, output) == value_name(api, value); };
  return static_cast<std::size_t>(std::ranges::find_if(outputs, same) - outputs.begin());
}

}  // namespace

const OrtValueInfo* copied_by_branch(const Api& api, const OrtValueInfo* value) {
  const std::optional<Node> node = producer(api, value);
  if (!node) return nullptr;
  const OrtGraph* branch = branch_that_runs(api, *node);
  if (branch == nullptr) return nullptr;
  const std::vector<const OrtValueInfo*> inside = read_outputs(api, branch);
  const std::vector<const OrtValueInfo*> otherwise = read_outputs(api, node->subgraph("then_branch"));
  const std::size_t place = find_output(api, node->outputs(), value);
  if (place >= inside.size() || !has_one_axis(api, otherwise[place])) return nullptr;
  const std::optional<Node> identity = producer(api, inside[place]);
  if (!identity || !identity->is("Identity")) return nullptr;
  return node->implicit_input(value_name(api, identity->input(0)));
}

std::vector<const OrtValueInfo*> copies_by_branch(const Api& api, const Node& node, std::string_view value) {
  const OrtGraph* branch = branch_that_runs(api, node);
  if (branch == nullptr) return {};
  const std::vector<const OrtValueInfo*> inside = read_outputs(api, branch);
  const std::vector<const OrtValueInfo*> outputs = node.outputs();
  std::vector<const OrtValueInfo*> copies;
  for (const Node& reader : read_nodes(api, branch)) {
    if (reader.implicit_input(value) != nullptr) return {};
    const std::vector<const OrtValueInfo*> inputs = reader.inputs();
    const auto is_value = [&](const OrtValueInfo* input) {
      return input != nullptr && value_name(api, input) == value;
    };
    if (std::ranges::none_of(inputs, is_value)) continue;
    const OrtValueInfo* copy = reader.output(0);
    if (!reader.is("Identity") || !uses(api, copy).empty()) return {};
    const std::size_t place = find_output(api, inside, copy);
    if (place >= outputs.size()) return {};
    copies.push_back(outputs[place]);
  }
  return copies;
}

}  // namespace strew::ort
