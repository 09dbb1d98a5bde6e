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
};

/// Keeps the verdicts of one session under this name until `forget_placement`. A later verdict on a node replaces
/// an earlier.
void keep_placement(const std::string& session, const std::vector<Verdict>& verdicts);
void forget_placement(const std::string& session);

/// All verdicts of a session: operator, node and reason with 0x1F between them, each ended by 0x1E.
std::string placement_text(const std::string& session);

}  // namespace strew::ort
