// The attributes that an operator version has.
#include "attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "console.h"

namespace strew::app {
namespace {

Status check_attribute(std::string_view command, const OperatorVersion& op, std::string_view name) {
  std::vector<std::string_view> names;
  for (const AttributeInfo& attribute : op.attributes) {
    if (attribute.name == name) return {};
    names.push_back(attribute.name);
  }
  return fail(ErrorCode::kInvalidArgument, "{}: {}-{} has no attribute '{}'; {}", command, op.op_type,
              op.since_version, name,
              names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", ")));
}

}  // namespace

NodeAttributes given_attributes(const AttributeOptions& options) {
  NodeAttributes attributes;
  if (options.axis) attributes.ints.emplace_back("axis", *options.axis);
  if (options.batch_dims) attributes.ints.emplace_back("batch_dims", *options.batch_dims);
  if (options.reduction) attributes.strings.emplace_back("reduction", *options.reduction);
  if (options.mode) attributes.strings.emplace_back("mode", *options.mode);
  return attributes;
}

Status check_attributes(std::string_view command, const OperatorVersion& op, const NodeAttributes& attributes) {
  for (const auto& [name, value] : attributes.ints) {
    if (Status checked = check_attribute(command, op, name); !checked) return checked;
  }
  for (const auto& [name, value] : attributes.strings) {
    if (Status checked = check_attribute(command, op, name); !checked) return checked;
  }
  return {};
}

}  // namespace strew::app
