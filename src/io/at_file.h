// Adds the name of a file to errors about it.
#pragma once

#include <string_view>

#include "core/error.h"

namespace strew {

/// Returns the same result; an error gets this file name.
template <class T>
Result<T> at_file(std::string_view name, Result<T> result) {
  if (!result) result.error() = found_in(one_line(name), result.error());
  return result;
}

}  // namespace strew
