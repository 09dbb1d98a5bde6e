// The exported function of the module. No other file of the bridge catches exceptions.
#include <exception>
#include <new>

#include "bridge.h"

// `request` is JSON as a C string; `bytes` is the file that the request is about. Returns a C string that is valid
// until the next call. An answer with "restart" means that the module has leaked memory and must be restarted.
extern "C" const char* strew_call(const char* request, const void* bytes, std::size_t size) noexcept {
  static std::string answer;
  try {
    answer = strew::page::answer_to(request, {static_cast<const std::byte*>(bytes), size});
  } catch (const std::bad_alloc&) {
    answer =
        R"({"error": {"code": "out of memory", "message": "the page does not have enough memory for this"}, "restart": true})";
  } catch (const std::exception& problem) {
    answer = strew::page::fault(problem.what());
  }
  return answer.c_str();
}
