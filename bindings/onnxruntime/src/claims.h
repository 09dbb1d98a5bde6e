// Decides which nodes to claim, and returns why the others are not claimed. Also decides on nodes that feed
// claimed nodes: an Expand of indices, and a Slice that cuts updates to the shape of their indices.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "node.h"
#include "provider.h"

namespace strew::ort {

/// True for a node of one of Strew's operators, claimed or not.
bool is_candidate(const Node& node);

/// Positions of indices and updates among the inputs, for all operators but TensorScatter.
inline constexpr std::int64_t kIndicesInput = 1;
inline constexpr std::int64_t kUpdatesInput = 2;

/// True for nodes with an index for each moved element: ScatterElements, Scatter, GatherElements.
bool moves_elements(const Node& node);

/// Returns the dimensions of a Gather's indices. For a GatherND without batch_dims whose index tuples have one
/// component, omits the last dimension. Returns nullopt for any other node, or if the dimensions are unknown.
std::optional<Dims> index_dims(const Api& api, const Node& gather);

/// Returns why a candidate with a kernel is not claimed, or nullopt if it is claimed.
std::optional<std::string> reason_against(const Api& api, const Node& node, const ProviderOptions& options);

/// True if the node's operator is one of Strew's and Strew claims the node.
using Claims = std::function<bool(const Node&)>;

struct IndexReaders {
  std::size_t count = 0;  ///< number of claimed nodes that read the value as indices of single elements
  std::string other;      ///< why another use of the value prevents claiming its producer; empty if none does
};
IndexReaders index_readers(const Api& api, const OrtValueInfo* value, const Claims& claims);

/// Returns why an Expand with a kernel is not claimed, or nullopt if it is claimed.
std::optional<std::string> reason_against_expand(const Api& api, const Node& expand, const Claims& claims);

/// As above for a Slice. Its kernel returns the updates uncut: the scatters that read its output cut them.
std::optional<std::string> reason_against_slice(const Api& api, const Node& slice, const Claims& claims);

/// If `value` is an output of an If, and the branch that runs only copies a value of the surrounding graph,
/// returns the copied value; otherwise nullptr. PyTorch's exporter of scatter_reduce passes all three operands
/// through such an If. Its other branch, for data of rank 0, adds an axis to each operand.
const OrtValueInfo* copied_by_branch(const Api& api, const OrtValueInfo* value);

/// Returns the outputs of an If that are copies of `value` of the surrounding graph. Returns none if the branch
/// that runs is unknown, or if it uses the value other than by copying it.
std::vector<const OrtValueInfo*> copies_by_branch(const Api& api, const Node& node, std::string_view value);

}  // namespace strew::ort
