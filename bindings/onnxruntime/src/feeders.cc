#include <algorithm>
#include <numeric>

#include "claims.h"
#include "facts.h"

namespace strew::ort {
namespace {

// True if the node reads the shape or the type of this input, but no element.
bool reads_no_element(const Use& use) {
  static constexpr std::string_view kShapeReaders[] = {"Shape", "Size", "EyeLike", "RandomNormalLike",
                                                       "RandomUniformLike"};
  if (use.node.is("CastLike")) return use.input == 1;
  return std::ranges::any_of(kShapeReaders, [&](std::string_view op_type) { return use.node.is(op_type); });
}

// As above, but for all uses of `value` in the node's subgraphs.
bool reads_no_element_inside(const Api& api, const Node& node, std::string_view value) {
  for (const Subgraph& subgraph : node.subgraphs()) {
    for (const Node& reader : read_nodes(api, subgraph.graph)) {
      const std::vector<const OrtValueInfo*> inputs = reader.inputs();
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool reads = inputs[i] != nullptr && value_name(api, inputs[i]) == value;
        if (reads && !reads_no_element({reader, static_cast<std::int64_t>(i)})) return false;
      }
      if (reader.implicit_input(value) != nullptr && !reads_no_element_inside(api, reader, value)) return false;
    }
  }
  return true;
}

// Returns a reason without node names, since equal reasons are counted together.
std::string reader_reason(const Use& use, std::string_view otherwise) {
  return "its output goes into " + std::string(use.node.op_type()) + ", not only into " + std::string(otherwise);
}

bool is_all(const std::optional<std::vector<std::int64_t>>& values, std::int64_t wanted) {
  return values && std::ranges::all_of(*values, [&](std::int64_t value) { return value == wanted; });
}

// True if a Slice starts at 0 on every axis.
bool begins_at_first(const Api& api, const Node& slice) {
  const auto starts = constant_integers(api, slice.input(1));
  if (!is_all(starts, 0)) return false;
  const OrtValueInfo* axes = slice.input(3);
  const OrtValueInfo* steps = slice.input(4);
  std::vector<std::int64_t> in_order(starts->size());
  std::iota(in_order.begin(), in_order.end(), std::int64_t{0});
  if (axes != nullptr && constant_integers(api, axes) != in_order) return false;
  return steps == nullptr || is_all(constant_integers(api, steps), 1);
}

// True if the Slice ends at the shape of these indices: `ends` is the output of a Shape node on the indices or, if
// the indices are constant, a constant equal to their shape.
bool ends_at_shape(const Api& api, const Node& slice, const OrtValueInfo* indices) {
  const OrtValueInfo* ends = slice.input(2);
  const OrtValueInfo* shaped = value_of_shape(api, ends);
  if (shaped != nullptr) return value_name(api, shaped) == value_name(api, indices);
  return is_constant(api, indices) && constant_integers(api, ends) == value_type(api, indices).dims;
}

// True if the declared shapes show that the Slice removes elements. Such a Slice cannot be claimed: Strew's kernel
// returns its whole input, which would contradict the declared shape.
bool declares_a_cut(const Api& api, const Node& slice) {
  const std::optional<Dims> from = value_type(api, slice.input(0)).dims;
  const std::optional<Dims> to = value_type(api, slice.output(0)).dims;
  if (!from || !to || from->size() != to->size()) return false;
  for (std::size_t axis = 0; axis < from->size(); ++axis) {
    const std::int64_t before = (*from)[axis];
    const std::int64_t after = (*to)[axis];
    if (before >= 0 && after >= 0 && before != after) return true;
  }
  return false;
}

}  // namespace

IndexReaders index_readers(const Api& api, const OrtValueInfo* value, const Claims& claims) {
  if (is_graph_output(api, value)) return {0, "its output is an output of the graph"};
  IndexReaders readers;
  const std::string_view name = value_name(api, value);
  for (const Use& use : uses(api, value)) {
    const bool inside = use.input < 0;
    if (inside ? reads_no_element_inside(api, use.node, name) : reads_no_element(use)) continue;
    if (use.input == kIndicesInput && moves_elements(use.node) && claims(use.node)) {
      ++readers.count;
      continue;
    }
    const auto copies = inside ? copies_by_branch(api, use.node, name) : std::vector<const OrtValueInfo*>{};
    for (const OrtValueInfo* copy : copies) {
      IndexReaders of_copy = index_readers(api, copy, claims);
      if (!of_copy.other.empty()) return {0, std::move(of_copy.other)};
      readers.count += of_copy.count;
    }
    if (copies.empty()) return {0, reader_reason(use, "indices of nodes that Strew claims")};
  }
  return readers;
}

std::optional<std::string> reason_against_expand(const Api& api, const Node& expand, const Claims& claims) {
  IndexReaders readers = index_readers(api, expand.output(0), claims);
  if (!readers.other.empty()) return std::move(readers.other);
  if (readers.count == 0) return "no ScatterElements, Scatter or GatherElements reads its output";
  if (repeated_axes(api, expand.output(0)) > 0) return std::nullopt;
  return "its input is not known to have a last dimension of 1 (Unsqueeze adds one)";
}

std::optional<std::string> reason_against_slice(const Api& api, const Node& slice, const Claims& claims) {
  const std::string other_cut = "it does not cut updates to the shape of their indices";
  if (!begins_at_first(api, slice)) return other_cut;
  if (declares_a_cut(api, slice)) return "its declared shapes show that it removes elements";
  const OrtValueInfo* updates = slice.output(0);
  if (is_graph_output(api, updates)) return "its output is an output of the graph";
  const std::vector<Use> readers = uses(api, updates);
  if (readers.empty()) return "nothing reads its output";
  for (const Use& use : readers) {
    const bool scatters = use.input == kUpdatesInput && moves_elements(use.node) && claims(use.node);
    if (!scatters) return reader_reason(use, "updates of nodes that Strew claims");
    if (!ends_at_shape(api, slice, use.node.input(kIndicesInput))) return other_cut;
  }
  return std::nullopt;
}

}  // namespace strew::ort
