// Decides which nodes to claim, and gives the reason for each other node.
#pragma once

#include <optional>
#include <string>

#include "node.h"
#include "options.h"

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

}  // namespace strew::ort
