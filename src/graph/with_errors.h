// Errors of edges and of calls over them, each in the name of the function that was called.
#pragma once

#include <string_view>

#include "core/fence.h"

namespace strew {

/// An error about this argument, or about none (""), of the function that with_errors names.
template <class... Parts>
tl::unexpected<Error> reject(ErrorCode code, std::string_view operand, const Parts&... text) {
  return fail(code, About{.operand = operand}, text...);
}

/// Returns the result of `body`, or its error in the name of `function`: "gather_scatter", "Edges.sort".
template <class Body>
auto with_errors(std::string_view function, const Body& body) -> decltype(body()) {
  auto result = without_exceptions(About{function}, body);
  if (!result) result.error().details().subject.op = function;
  return result;
}

}  // namespace strew
