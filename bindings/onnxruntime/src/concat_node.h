// Concat of gathers as one node: they write where the Concat would have copied their output.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiled_node.h"
#include "feeders.h"

namespace strew::ort {

/// A Concat with the Gathers, and GathersND of rows, whose output nobody else reads. Names are of values.
struct GatheredConcat {
  struct Part {
    std::string data;     ///< of a Gather, or an input that is copied
    std::string indices;  ///< empty for one that is copied
    std::int64_t axis = 0;
    bool by_tuples = false;  ///< of a GatherND: the indices have a last dimension of 1
  };
  std::vector<const OrtNode*> nodes;
  std::vector<Node> gathers;
  std::vector<Part> parts;
  std::int64_t axis = 0;
};

/// The pattern that ends in this Concat. `taken` says whether Strew may take a gather.
std::optional<GatheredConcat> find_gathered_concat(const Api& api, const Node& concat, const Claims& taken);

/// The same in a graph of the nodes that were chosen by it.
std::optional<GatheredConcat> chosen_gathered_concat(const Api& api, const Node& concat);

std::unique_ptr<CompiledNode> make_concat_node(Provider& provider, GatheredConcat found, const Node& fused_node);

}  // namespace strew::ort
