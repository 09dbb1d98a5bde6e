// What memory throws, as errors.
#pragma once

#include <new>

#include "core/error.h"

namespace strew {

/// The result of `body`, or kOutOfMemory.
template <class Body>
auto with_errors(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, "gather_scatter: no memory for the edges");
  }
}

}  // namespace strew
