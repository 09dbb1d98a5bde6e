// Turns an element type that is known at run time into a C++ type.
#pragma once

#include "strew/dtype.h"

namespace strew {

/// Calls `visit(T())` for that one of the Types whose element type is `dtype`, and returns its result; Result() if
/// there is none.
template <class Result, class... Types, class Visit>
constexpr Result visit_dtype(DType dtype, const Visit& visit) {
  Result result{};
  static_cast<void>(((dtype == dtype_of<Types> && (result = visit(Types{}), true)) || ...));
  return result;
}

}  // namespace strew
