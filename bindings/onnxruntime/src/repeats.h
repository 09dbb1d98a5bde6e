// Values that repeat along an axis, as the graph proves it: what exporters make by Expand.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "node.h"

namespace strew::ort {

/// For each axis of a value whether all its elements along that axis are equal.
using RepeatedAxes = std::vector<bool>;

/// What the graph proves of this value; nothing where it repeats along no axis.
std::optional<RepeatedAxes> repeated_axes(const Api& api, const OrtValueInfo* value);

/// What is known of the values of a session, by name. Branches of an If may use a name twice: what is kept is true
/// of both.
class RepeatedValues {
 public:
  void note(const std::string& name, const std::optional<RepeatedAxes>& axes);
  std::optional<RepeatedAxes> find(const std::string& name) const;

 private:
  std::map<std::string, RepeatedAxes> by_name_;
};

}  // namespace strew::ort
