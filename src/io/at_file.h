// The name of a file in front of the messages about it.
#pragma once

#include <string_view>

#include "core/error.h"

namespace strew {

/// The same result; an error was found in the file of this name.
template <class T>
Result<T> at_file(std::string_view name, Result<T> result) {
  if (!result) result.error() = found_in(one_line(name), result.error());
  return result;
}

}  // namespace strew
