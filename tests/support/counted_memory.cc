// Counts memory from malloc and related functions of the GNU C library, and anonymous mappings for large blocks.
#include "support/counted_memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "support/sanitizers.h"

namespace {

std::atomic<std::int64_t> in_use{0};
std::atomic<std::int64_t> most{0};

}  // namespace

#if defined(__GLIBC__) && !STREW_ASAN && !STREW_TSAN

namespace {

constexpr bool kCounted = true;

void add(std::int64_t bytes) noexcept {
  const std::int64_t now = in_use.fetch_add(bytes) + bytes;
  std::int64_t before = most.load();
  while (now > before && !most.compare_exchange_weak(before, now)) {
  }
}

void* added(void* memory) noexcept {
  if (memory != nullptr) add(static_cast<std::int64_t>(::malloc_usable_size(memory)));
  return memory;
}

std::array<std::atomic<void*>, 64> files;  // addresses of mapped files, which are not counted

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the C library's own names for its functions
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) noexcept { return added(__libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) noexcept { return added(__libc_calloc(count, size)); }
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return added(__libc_memalign(alignment, size));
}
void free(void* memory) noexcept {
  if (memory != nullptr) in_use -= static_cast<std::int64_t>(::malloc_usable_size(memory));
  __libc_free(memory);
}
void* realloc(void* memory, std::size_t size) noexcept {
  const auto before = memory == nullptr ? 0 : static_cast<std::int64_t>(::malloc_usable_size(memory));
  void* other = __libc_realloc(memory, size);
  if (other != nullptr || size == 0) in_use -= before;
  return added(other);
}

void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel returns an address as a number
  void* memory = reinterpret_cast<void*>(::syscall(SYS_mmap, address, size, protection, flags, file, offset));
  if (memory == MAP_FAILED) return memory;
  if ((flags & MAP_ANONYMOUS) != 0) {
    add(static_cast<std::int64_t>(size));
    return memory;
  }
  for (auto& mapped : files) {
    void* none = nullptr;
    if (mapped.compare_exchange_strong(none, memory)) break;
  }
  return memory;
}
int munmap(void* address, std::size_t size) noexcept {
  bool is_file = false;
  for (auto& mapped : files) {
    void* expected = address;
    is_file = is_file || mapped.compare_exchange_strong(expected, nullptr);
  }
  if (!is_file) in_use -= static_cast<std::int64_t>(size);  // `memory` may be a part of a block
  return static_cast<int>(::syscall(SYS_munmap, address, size));
}
}
// NOLINTEND(bugprone-reserved-identifier)

#else
namespace {
constexpr bool kCounted = false;
}
#endif

namespace strew::support {
namespace {
std::int64_t at_start = 0;
}

bool memory_is_counted() noexcept { return kCounted; }
std::int64_t bytes_in_use() noexcept { return in_use; }
void start_counting() noexcept {
  at_start = in_use;
  most = at_start;
}
std::int64_t most_bytes() noexcept { return most - at_start; }

}  // namespace strew::support
