// Scratch memory.
#include "core/scratch.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "core/arithmetic.h"

namespace strew {
namespace {

constexpr std::int64_t kAlignment = 64;
constexpr std::int64_t kHugePage = std::int64_t{2} << 20;

}  // namespace

Scratch::Scratch(std::int64_t bytes) {
  if (bytes <= 0) return;
  const std::int64_t alignment = bytes < 2 * kHugePage ? kAlignment : kHugePage;
  const auto rounded = static_cast<std::size_t>(div_up(bytes, alignment) * alignment);
  memory_ = static_cast<std::byte*>(std::aligned_alloc(static_cast<std::size_t>(alignment), rounded));
  if (memory_ == nullptr) throw std::bad_alloc();
  if (alignment == kHugePage) ::madvise(memory_, rounded, MADV_HUGEPAGE);  // only advice
}

Scratch::~Scratch() { std::free(memory_); }

}  // namespace strew
