// Decides which nodes to claim, and gives the reason for each other node; also for nodes that only feed claimed
// nodes: an Expand that makes indices, a Slice that cuts updates to their shape, an If that returns values
// unchanged.
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

/// Position of the indices among the inputs, for all operators but TensorScatter.
inline constexpr std::int64_t kIndicesInput = 1;

/// Position of the updates among the inputs, for all operators but TensorScatter.
inline constexpr std::int64_t kUpdatesInput = 2;

/// True for nodes whose indices have the shape of the moved elements: ScatterElements, Scatter, GatherElements.
bool moves_elements(const Node& node);

/// Returns the dimensions of the indices of a Gather, or of a GatherND that gathers rows of axis 0 by tuples of
/// one index. Returns nullopt for any other node, and if they are unknown.
std::optional<Dims> index_dims(const Api& api, const Node& gather);

/// Returns why a candidate for which there is a kernel is not claimed, or nullopt if it is.
std::optional<std::string> reason_against(const Api& api, const Node& node, const ProviderOptions& options);

/// True if Strew claims this node of its own operators.
using Claims = std::function<bool(const Node&)>;

/// Readers of the elements of a value.
struct IndexReaders {
  std::size_t count = 0;  ///< number of claimed nodes that read the value as indices of elements
  std::string other;      ///< reason that names another reader; empty if there is none
};
IndexReaders index_readers(const Api& api, const OrtValueInfo* value, const Claims& claims);

/// Returns why an Expand with a kernel is not claimed, or nullopt if it is.
std::optional<std::string> reason_against_expand(const Api& api, const Node& expand, const Claims& claims);

/// As above for a Slice. Its kernel cuts nothing; the scatters that read its output do.
std::optional<std::string> reason_against_slice(const Api& api, const Node& slice, const Claims& claims);

/// Returns the value of the surrounding graph that an output of an If copies; nullptr for any other value.
/// PyTorch's exporter of scatter_reduce puts such an If around all three operands: for data of rank 0 it adds an
/// axis to each.
const OrtValueInfo* copied_by_branch(const Api& api, const OrtValueInfo* value);

/// Returns the outputs of the If that are copies of a surrounding value; empty if the branch that runs uses the
/// value in another way, or if this branch is unknown.
std::vector<const OrtValueInfo*> copies_by_branch(const Api& api, const Node& node, std::string_view value);

}  // namespace strew::ort
