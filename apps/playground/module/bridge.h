// Answers to what the page asks.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace strew::page {

/// `request` is JSON, and so is the answer; `bytes`: a file that it is about. Throws std::bad_alloc, and what
/// nlohmann throws at a request that is none.
std::string answer_to(const char* request, std::span<const std::byte> bytes);

/// The answer where something was thrown, for which the page starts the module anew.
std::string fault(const char* what);

}  // namespace strew::page
