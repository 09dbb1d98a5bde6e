// What the module exports. The one file of the bridge that catches exceptions.
#include <exception>
#include <new>

#include "bridge.h"

// `request` is JSON, a C string; `bytes` a file that it is about. The answer is a C string that stays until the
// next call. Nothing is thrown through here. With "restart" the module has lost memory and is to be loaded again.
extern "C" const char* strew_call(const char* request, const void* bytes, std::size_t size) noexcept {
  static std::string answer;
  try {
    answer = strew::page::answer_to(request, {static_cast<const std::byte*>(bytes), size});
  } catch (const std::bad_alloc&) {
    answer =
        R"({"error": {"code": "out of memory", "message": "the page has no memory for this"}, "restart": true})";
  } catch (const std::exception& problem) {
    answer = strew::page::fault(problem.what());
  }
  return answer.c_str();
}
