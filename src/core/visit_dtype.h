// Converts an element type that is known only at run time to a C++ type, and a width to a constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "strew/dtype.h"

namespace strew {

/// Returns `visit(T())` for the T in `Types` with element type `dtype`, or Result() if there is no such T.
template <class Result, class... Types, class Visit>
constexpr Result visit_dtype(DType dtype, const Visit& visit) {
  Result result{};
  static_cast<void>(((dtype == dtype_of<Types> && (result = visit(Types{}), true)) || ...));
  return result;
}

/// Calls `visit` with `width_bytes` (1, 2, 4, 8 or 16) as a std::integral_constant and returns the result.
template <class Visit>
constexpr auto visit_width(std::int64_t width_bytes, const Visit& visit) {
  switch (width_bytes) {
    case 1:
      return visit(std::integral_constant<std::size_t, 1>());
    case 2:
      return visit(std::integral_constant<std::size_t, 2>());
    case 4:
      return visit(std::integral_constant<std::size_t, 4>());
    case 8:
      return visit(std::integral_constant<std::size_t, 8>());
    default:
      return visit(std::integral_constant<std::size_t, 16>());
  }
}

}  // namespace strew
