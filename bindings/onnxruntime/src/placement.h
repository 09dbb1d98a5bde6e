// What was claimed and what not, kept for whoever wants to know.
#pragma once

#include <string>
#include <vector>

namespace strew::ort {

struct Verdict {
  std::string op_type;
  std::string node;
  std::string output;  ///< the name of its first output, which tells nodes apart that have no name of their own
  std::string reason;  ///< why it was not claimed; empty where it was
  std::string apart;   ///< why a gather or scatter that was claimed is not fused; else empty
};

/// Keeps the verdicts on one graph of a session, which has so many nodes, under this name until
/// `forget_placement`. A later verdict on a node replaces an earlier.
void keep_placement(const std::string& session, const std::vector<Verdict>& verdicts, std::size_t node_count);
void forget_placement(const std::string& session);

/// How many nodes were looked at, then all verdicts: operator, node, reason and `apart` with 0x1F between them.
/// Each is ended by 0x1E. Empty where none of the session's graphs was looked at.
std::string placement_text(const std::string& session);

}  // namespace strew::ort
