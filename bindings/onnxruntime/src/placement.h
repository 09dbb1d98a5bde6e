// What was claimed and what not, kept for whoever wants to know.
#pragma once

#include <string>
#include <vector>

namespace strew::ort {

struct Verdict {
  std::string op_type;
  std::string node;
  std::string reason;  ///< why it was not claimed; empty where it was
};

/// Keeps the verdicts of one session under this name until `forget_placement`. A later verdict on a node replaces
/// an earlier.
void keep_placement(const std::string& session, const std::vector<Verdict>& verdicts);
void forget_placement(const std::string& session);

}  // namespace strew::ort
