// Values that repeat along an axis, as the graph proves it: what exporters make by Expand.
#include "repeats.h"

#include <algorithm>

namespace strew::ort {

std::optional<RepeatedAxes> repeated_axes(const Api& api, const OrtValueInfo* value) {
  const std::optional<Node> expand = producer(api, value);
  if (!expand || !expand->in_onnx_domain() || expand->op_type() != "Expand") return std::nullopt;
  const std::optional<Dims> from = value_type(api, expand->input(0)).dims;
  const std::optional<Dims> to = value_type(api, value).dims;
  if (!from || !to || from->size() > to->size()) return std::nullopt;
  // Axes are aligned at the end; one that is not there is as one of length 1.
  RepeatedAxes axes(to->size() - from->size(), true);
  for (const std::int64_t dim : *from) axes.push_back(dim == 1);
  if (std::ranges::count(axes, true) == 0) return std::nullopt;
  return axes;
}

void RepeatedValues::note(const std::string& name, const std::optional<RepeatedAxes>& axes) {
  RepeatedAxes now = axes.value_or(RepeatedAxes());
  const auto [known, added] = by_name_.try_emplace(name, now);
  if (!added && known->second != now) known->second.clear();
}

std::optional<RepeatedAxes> RepeatedValues::find(const std::string& name) const {
  const auto known = by_name_.find(name);
  if (known == by_name_.end() || known->second.empty()) return std::nullopt;
  return known->second;
}

}  // namespace strew::ort
