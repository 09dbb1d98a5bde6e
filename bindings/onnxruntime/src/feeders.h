// Nodes that only feed claimed nodes: an Expand that makes indices, and a Slice that cuts updates to their shape.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "node.h"

namespace strew::ort {

/// True if Strew claims this node of its own operators.
using Claims = std::function<bool(const Node&)>;

/// Readers of the elements of a value.
struct IndexReaders {
  std::size_t count = 0;  ///< claimed nodes that read them as the indices of elements
  std::string other;      ///< reason that names another reader; empty if there is none
};
IndexReaders index_readers(const Api& api, const OrtValueInfo* value, const Claims& claims);

/// Returns why an Expand with a kernel is not claimed, or nullopt if it is.
std::optional<std::string> reason_against_expand(const Api& api, const Node& expand, const Claims& claims);

/// As above for a Slice. Its kernel cuts nothing; the scatters that read its output do.
std::optional<std::string> reason_against_slice(const Api& api, const Node& slice, const Claims& claims);

}  // namespace strew::ort
