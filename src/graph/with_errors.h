// Errors of gather_scatter, and what memory throws as one.
#pragma once

#include <string_view>

#include "core/fence.h"

namespace strew {

/// An error about this argument of gather_scatter, or about none ("").
template <class... Parts>
tl::unexpected<Error> reject(ErrorCode code, std::string_view operand, const Parts&... text) {
  return fail(code, About{"gather_scatter", operand}, text...);
}

/// The result of `body`, or an error about what it threw.
template <class Body>
auto with_errors(const Body& body) -> decltype(body()) {
  return without_exceptions(About{"gather_scatter"}, body);
}

}  // namespace strew
