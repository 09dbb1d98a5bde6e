// Records which nodes were claimed, and why others were not.
#pragma once

#include <string>
#include <vector>

namespace strew::ort {

struct Verdict {
  std::string op_type;
  std::string node;
  std::string output;          ///< name of the first output, which identifies unnamed nodes
  std::string reason;          ///< why the node was not claimed; empty if it was
  std::string unfused_reason;  ///< why a claimed gather or scatter is not fused; else empty
};

/// Stores the verdicts on one graph of a session until `forget_placement`. The graph has `node_count` nodes. A
/// later verdict on a node replaces an earlier one.
void keep_placement(const std::string& session, const std::vector<Verdict>& verdicts, std::size_t node_count);
void forget_placement(const std::string& session);

/// Returns the number of examined nodes and the verdicts, each followed by 0x1E; no text if no graph of the
/// session was examined. A verdict has the operator, node, reason and `unfused_reason`, separated by 0x1F.
std::string placement_text(const std::string& session);

}  // namespace strew::ort
