// Which nodes are taken, and why not the others.
#pragma once

#include <optional>
#include <string>

#include "node.h"
#include "options.h"

namespace strew::ort {

/// True for a node of one of Strew's operators, taken or not.
bool is_candidate(const Node& node);

/// Which input the indices are, for all operators but TensorScatter.
inline constexpr std::int64_t kIndicesInput = 1;

/// Which input the updates are, for all operators but TensorScatter.
inline constexpr std::int64_t kUpdatesInput = 2;

/// True for a node whose indices have the shape of what is moved: ScatterElements, Scatter, GatherElements.
bool moves_elements(const Node& node);

/// The dimensions of the indices of a Gather, and of a GatherND that takes rows of axis 0 as a Gather does, by
/// tuples of one index; nothing where they are not known, or it does not.
std::optional<Dims> index_dims(const Api& api, const Node& gather);

/// The reason why a candidate for which there is a kernel is left to other providers; nothing where it is taken.
std::optional<std::string> reason_against(const Api& api, const Node& node, const ProviderOptions& options);

}  // namespace strew::ort
