// Nodes that only feed taken ones: an Expand that makes indices, and a Slice that cuts updates to the shape of
// them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "node.h"

namespace strew::ort {

/// Whether Strew takes this node of its own operators.
using Claims = std::function<bool(const Node&)>;

/// Who reads the elements of a value.
struct IndexReaders {
  std::size_t count = 0;  ///< taken nodes that read them as the indices of elements
  std::string other;      ///< anybody else, for a reason; empty where there is none
};
IndexReaders index_readers(const Api& api, const OrtValueInfo* value, const Claims& claims);

/// The reason why an Expand for which there is a kernel is left; nothing where it is taken.
std::optional<std::string> reason_against_expand(const Api& api, const Node& expand, const Claims& claims);

/// The same of a Slice. Its kernel cuts nothing: the scatters that read it do.
std::optional<std::string> reason_against_slice(const Api& api, const Node& slice, const Claims& claims);

}  // namespace strew::ort
