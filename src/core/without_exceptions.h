// Converts exceptions of memory and of a caller's executor to errors.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>

#include "core/error.h"
#include "strew/plan.h"

namespace strew {

/// Calls `body`, which returns a Result or Status, and converts exceptions to errors.
template <class Body>
auto without_exceptions(const Plan& plan, const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, About{op_name(plan.op())}, "out of memory");
  } catch (const std::length_error&) {
    return fail(ErrorCode::kOutOfMemory, About{op_name(plan.op())}, "out of memory");
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::kUnsupported, About{op_name(plan.op())},
                "the executor failed: ", std::string_view(thrown.what()));
  } catch (...) {
    return fail(ErrorCode::kUnsupported, About{op_name(plan.op())}, "the executor failed");
  }
}

}  // namespace strew
