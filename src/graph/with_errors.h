// Errors of gather_scatter, and what memory throws as one.
#pragma once

#include <exception>
#include <new>
#include <string_view>

#include "core/error.h"

namespace strew {

/// An error about this argument of gather_scatter, or about none ("").
template <class... Parts>
tl::unexpected<Error> reject(ErrorCode code, std::string_view operand, const Parts&... text) {
  return fail(code, About{"gather_scatter", operand}, text...);
}

/// The result of `body`, or an error about what it threw: kOutOfMemory, or kUnsupported of an executor.
template <class Body>
auto with_errors(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return reject(ErrorCode::kOutOfMemory, "", "out of memory");
  } catch (const std::exception& thrown) {
    return reject(ErrorCode::kUnsupported, "", "the executor failed: ", std::string_view(thrown.what()));
  }
}

}  // namespace strew
