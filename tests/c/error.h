// Errors of C functions as values that free themselves.
#pragma once

#include <memory>
#include <string>

#include "strew/c.h"

namespace strew::c {

struct FreeError {
  void operator()(strew_error* error) const { strew_error_free(error); }
};
using OwnError = std::unique_ptr<strew_error, FreeError>;

template <class Call>
OwnError error_of(const Call& call) {
  strew_error* error = reinterpret_cast<strew_error*>(8);  // every call overwrites it
  const int code = call(&error);
  if ((error == nullptr ? int{STREW_OK} : error->code) != code) return OwnError(error = nullptr), nullptr;
  return OwnError(error);
}

/// Returns the error's message, or "" after success.
template <class Call>
std::string message_of(const Call& call) {
  const OwnError error = error_of(call);
  return error ? error->message : "";
}

}  // namespace strew::c
