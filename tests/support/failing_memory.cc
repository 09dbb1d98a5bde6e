// Replaces operator new, and mmap for the library's blocks of memory, with functions that can fail.
#include "support/failing_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <new>

#include "support/sanitizers.h"

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
std::int64_t left = kNever;  // allocations that succeed before the failure
bool for_good = false;       // all later allocations fail too
bool failed = false;         // an allocation has failed

bool fails() {
  if (left == kNever) return false;
  if (left > 0) {
    --left;
    return false;
  }
  if (!for_good) left = kNever;
  failed = true;
  return true;
}

}  // namespace

// Not inline: compilers would warn that memory from new is freed by free.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = fails() ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : std::malloc(size);
}
// The default array forms call the functions above, but AddressSanitizer replaces the array forms.
[[gnu::noinline]] void* operator new[](std::size_t size) { return operator new(size); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// The library's blocks of memory come from mmap. Sanitizers need their own mmap.
#if !STREW_ASAN && !STREW_TSAN
extern "C" void* mmap(void* address, std::size_t size, int protection, int flags, int file,
                      off_t offset) noexcept {
  if ((flags & MAP_ANONYMOUS) != 0 && fails()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel returns an address as a number
  return reinterpret_cast<void*>(::syscall(SYS_mmap, address, size, protection, flags, file, offset));
}
#endif

namespace strew::support {

FailingMemory::FailingMemory(std::int64_t successes, bool all_later) {
  left = successes;
  for_good = all_later;
  failed = false;
}
FailingMemory::~FailingMemory() { left = kNever; }
bool memory_failed() noexcept { return failed; }

void fail_each_allocation(const std::function<Status()>& call, const std::function<void()>& check) {
  std::int64_t failures = 0;
  for (const bool all_later : {false, true}) {
    for (std::int64_t allocation = 0;; ++allocation) {
      Status status;
      {
        const FailingMemory failing(allocation, all_later);
        status = call();
      }
      if (status) check();
      if (::testing::Test::HasFailure()) return;
      if (!memory_failed()) {
        ASSERT_TRUE(status) << status.error().message();
        break;
      }
      ++failures;
      if (status) continue;  // it succeeded without this allocation
      ASSERT_EQ(status.error().code, ErrorCode::kOutOfMemory)
          << "allocation " << allocation << ": " << status.error().message();
    }
  }
  EXPECT_GT(failures, 0);
}

}  // namespace strew::support
