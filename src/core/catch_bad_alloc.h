// Keeping a lack of memory inside the library.
#pragma once

#include <new>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace strew {

/// The result of `call`, or kOutOfMemory where small allocations in it failed: "no memory for the model".
template <class Call>
auto guarded(std::string_view what, Call&& call) -> decltype(call()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, "no memory for ", what);
  }
}

}  // namespace strew
