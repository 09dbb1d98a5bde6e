// Converts std::bad_alloc to an error.
#pragma once

#include <new>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace strew {

/// Returns the result of `call`, or kOutOfMemory if a small allocation in it failed: "no memory for the model".
template <class Call>
auto guarded(std::string_view what, Call&& call) -> decltype(call()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, "no memory for ", what);
  }
}

}  // namespace strew
