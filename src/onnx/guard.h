// Keeping a lack of memory inside the library.
#pragma once

#include <new>
#include <utility>

#include "core/error.h"

namespace strew {

/// The result of `call`, or kOutOfMemory where small allocations in it failed.
template <class Call>
auto guarded(Call&& call) -> decltype(call()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, "no memory for the model");
  }
}

}  // namespace strew
