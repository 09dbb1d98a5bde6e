// Answers to requests of the page.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace strew::page {

/// Answers a JSON request in JSON; `bytes` is the file that the request is about. Throws std::bad_alloc, and
/// nlohmann's exceptions for malformed requests.
std::string answer_to(const char* request, std::span<const std::byte> bytes);

/// Returns the answer after an exception; it makes the page restart the module.
std::string fault(const char* what);

}  // namespace strew::page
