// The table of all attributes. A new attribute needs a member in CallParams and a row in attributes.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "strew/operators.h"
#include "strew/plan.h"

namespace strew {

struct Attribute {
  std::string_view name;
  AttributeType type;
  std::int64_t default_int;                 ///< for strings: the index of the value in `words`
  std::span<const std::string_view> words;  ///< for strings: all values
  std::string_view doc;
  /// True if the value differs from the default.
  bool (*is_given)(const CallParams& params);
  /// Returns the value; for strings, the index of the value in `words`.
  std::int64_t (*get)(const CallParams& params);
  void (*set)(CallParams& params, std::int64_t value);
  void (*set_element)(CallParams& params, const TensorView& element);
  std::string_view needs = {};  ///< the attribute without which this one has no effect, if any
};

constexpr std::int64_t default_axis(OpKind op) noexcept { return op == OpKind::kTensorScatter ? -2 : 0; }
inline std::int64_t axis_of(const CallParams& params) noexcept {
  return params.axis.value_or(default_axis(params.op));
}

std::span<const Attribute> all_attributes() noexcept;
/// Returns nullptr if no attribute has this name.
const Attribute* find_attribute(std::string_view name) noexcept;

/// True if the operator has all given attributes.
bool has_own_attributes(const CallParams& params) noexcept;
/// Returns kInvalidArgument for the first given attribute that the operator does not have.
tl::unexpected<Error> fail_for_attributes(const CallParams& params);

/// Returns Explanation::call, such as "scatter_nd: float32 [4, 2], indices int64 [3, 1], reduction=mean".
std::string describe(const Plan& plan);

}  // namespace strew
