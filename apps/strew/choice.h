// An option whose value is the name of an enumerator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console.h"

namespace strew::app {

/// Returns the enumerator named by `given`, or `otherwise` without a name. The error for another name lists
/// all.
template <class Enum>
Result<Enum> choice(const char* option, const std::optional<std::string>& given, Enum otherwise,
                    std::string_view (*name_of)(Enum) noexcept,
                    std::optional<Enum> (*from_name)(std::string_view) noexcept) {
  if (!given) return otherwise;
  if (const auto found = from_name(*given)) return *found;
  std::vector<std::string_view> names;
  for (std::uint8_t number = 0; from_name(name_of(static_cast<Enum>(number))); ++number) {
    names.push_back(name_of(static_cast<Enum>(number)));
  }
  return fail(ErrorCode::kInvalidArgument, "{} '{}' is not known{}", option, *given, choices_text(*given, names));
}

}  // namespace strew::app
