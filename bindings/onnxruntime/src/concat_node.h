// Concat of gathers as one node: gathers write to their place in the output of the Concat.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiled_node.h"
#include "feeders.h"

namespace strew::ort {

/// A Concat, and the Gathers and GatherNDs of rows whose outputs have no other reader. Names are of values.
struct GatheredConcat {
  struct Part {
    std::string data;     ///< data of a Gather, or an input to copy
    std::string indices;  ///< empty for an input to copy
    std::int64_t axis = 0;
    bool by_tuples = false;  ///< a GatherND, whose indices have a last dimension of 1
  };
  std::vector<const OrtNode*> nodes;
  std::vector<Node> gathers;
  std::vector<Part> parts;
  std::int64_t axis = 0;
};

/// Returns the pattern that ends in this Concat. `taken` is true for gathers that Strew may claim.
std::optional<GatheredConcat> find_gathered_concat(const Api& api, const Node& concat, const Claims& taken);

/// As above, for a graph of nodes that were chosen by find_gathered_concat.
std::optional<GatheredConcat> chosen_gathered_concat(const Api& api, const Node& concat);

std::unique_ptr<CompiledNode> make_concat_node(Provider& provider, GatheredConcat found, const Node& fused_node);

}  // namespace strew::ort
