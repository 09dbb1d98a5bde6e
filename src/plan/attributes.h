// Every attribute of every operator, and where CallParams keeps it. A new one is a member there and a row here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "strew/operators.h"

namespace strew {

struct Attribute {
  std::string_view name;
  AttributeType type;
  std::int64_t default_int;                 ///< of a string the number of its word
  std::span<const std::string_view> words;  ///< of a string: all that Strew knows
  std::string_view doc;
  /// Whether it has another value than its default.
  bool (*is_given)(const CallParams& params);
  /// Of a string the number of its word.
  std::int64_t (*get)(const CallParams& params);
  void (*set)(CallParams& params, std::int64_t value);
  void (*set_element)(CallParams& params, const TensorView& element);
  std::string_view needs = {};  ///< another one, without which it means nothing
};

/// The default of `axis`.
constexpr std::int64_t default_axis(OpKind op) noexcept { return op == OpKind::kTensorScatter ? -2 : 0; }
inline std::int64_t axis_of(const CallParams& params) noexcept {
  return params.axis.value_or(default_axis(params.op));
}

std::span<const Attribute> all_attributes() noexcept;
/// nullptr where there is none.
const Attribute* find_attribute(std::string_view name) noexcept;

/// Whether the operator has all that is given.
bool has_own_attributes(const CallParams& params) noexcept;
/// The error where it has not: kInvalidArgument. Messages start with the operator.
tl::unexpected<Error> fail_for_attributes(const CallParams& params);

}  // namespace strew
