// Converts exceptions from allocations and from a caller's executor to errors.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "strew/plan.h"

namespace strew {

/// Calls `body`, which returns a Result or Status. Returns `no_memory()` if an allocation in it failed.
template <class Body, class NoMemory>
auto with_memory(Body&& body, const NoMemory& no_memory) -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return no_memory();
  }
}

/// Calls `body`. If an allocation failed, returns kOutOfMemory with the text "no memory for " and `what`.
template <class Body>
auto with_memory_for(std::string_view what, Body&& body) -> decltype(body()) {
  return with_memory(std::forward<Body>(body),
                     [&] { return fail(ErrorCode::kOutOfMemory, "no memory for ", what); });
}

/// Calls `body`, which returns a Result or Status, and converts all exceptions to errors with the subject `about`.
template <class Body>
auto without_exceptions(const About& about, const Body& body) -> decltype(body()) {
  const auto no_memory = [&] { return fail(ErrorCode::kOutOfMemory, about, "out of memory"); };
  try {
    return with_memory(body, no_memory);
  } catch (const std::length_error&) {
    return no_memory();
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::kUnsupported, about, "the executor failed: ", std::string_view(thrown.what()));
  } catch (...) {
    return fail(ErrorCode::kUnsupported, about, "the executor failed");
  }
}
/// Returns the result of `body`, or the error for an exception. Errors name `function`, such as "Edges.sort".
template <class Body>
auto with_errors(std::string_view function, const Body& body) -> decltype(body()) {
  auto result = without_exceptions(About{function}, body);
  if (!result) result.error().details().subject.op = function;
  return result;
}

template <class Body>
auto without_exceptions(const Plan& plan, const Body& body) -> decltype(body()) {
  return without_exceptions(About{op_name(plan.op())}, body);
}

}  // namespace strew
