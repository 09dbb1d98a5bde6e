// Fills a stack with a pattern before its thread starts. The thread has not used the bytes that keep the pattern.
#include "support/small_stack.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <stdexcept>

namespace strew::support {
namespace {

constexpr std::size_t kBytes = 512 << 10;  // more than calls need, so that a failing test does not crash
constexpr std::size_t kPage = 4096;
constexpr std::byte kPaint{0xA5};

void* run_body(void* body) {
  (*static_cast<const std::function<void()>*>(body))();
  return nullptr;
}

struct Stack {
  std::byte* begin = static_cast<std::byte*>(::operator new(kBytes, std::align_val_t(kPage)));
  Stack() = default;
  ~Stack() { ::operator delete(begin, std::align_val_t(kPage)); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
};

}  // namespace

std::int64_t stack_of(const std::function<void()>& body) {
  static const Stack stack;
  std::fill_n(stack.begin, kBytes, kPaint);
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstack(&attributes, stack.begin, kBytes) != 0 ||
      pthread_create(&thread, &attributes, run_body, const_cast<std::function<void()>*>(&body)) != 0) {
    throw std::runtime_error("no thread with a stack of its own");
  }
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const std::byte* end = stack.begin + kBytes;
  return end - std::find_if(stack.begin, stack.begin + kBytes, [](std::byte byte) { return byte != kPaint; });
}

#if defined(__has_feature)
#define STREW_HAS_FEATURE(name) __has_feature(name)
#else
#define STREW_HAS_FEATURE(name) 0
#endif

bool stacks_are_small() noexcept {
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    STREW_HAS_FEATURE(address_sanitizer) || STREW_HAS_FEATURE(thread_sanitizer)
  return false;
#else
  return true;
#endif
}

}  // namespace strew::support
