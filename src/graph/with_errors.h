// Errors of gather_scatter, and what memory throws as one.
#pragma once

#include <new>
#include <string_view>

#include "core/error.h"

namespace strew {

/// An error about this argument of gather_scatter, or about none ("").
template <class... Parts>
tl::unexpected<Error> reject(ErrorCode code, std::string_view operand, const Parts&... text) {
  return fail(code, About{"gather_scatter", operand}, text...);
}

/// The result of `body`, or kOutOfMemory.
template <class Body>
auto with_errors(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return reject(ErrorCode::kOutOfMemory, "", "no memory for the edges");
  }
}

}  // namespace strew
