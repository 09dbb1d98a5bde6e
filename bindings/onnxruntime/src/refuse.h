// Converts Strew's errors to exceptions of this library.
#pragma once

#include <utility>

#include "api.h"
#include "strew/error.h"

namespace strew::ort {

[[noreturn]] void refuse(const Error& error);

template <class T>
T unwrap(Result<T> result) {
  if (!result) refuse(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace strew::ort
