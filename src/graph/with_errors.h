// Errors of edges and of calls over them. Each error names the function that the user called.
#pragma once

#include <string_view>

#include "core/fence.h"

namespace strew {

/// Returns an error about `operand`, or about no operand if it is "". with_errors adds the function's name.
template <class... Parts>
tl::unexpected<Error> reject(ErrorCode code, std::string_view operand, const Parts&... text) {
  return fail(code, About{.operand = operand}, text...);
}

/// Returns the result of `body`. An error gets the name of `function`: "gather_scatter", "Edges.sort".
template <class Body>
auto with_errors(std::string_view function, const Body& body) -> decltype(body()) {
  auto result = without_exceptions(About{function}, body);
  if (!result) result.error().details().subject.op = function;
  return result;
}

}  // namespace strew
