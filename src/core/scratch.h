// Scratch: memory that a call works in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/arithmetic.h"
#include "core/machine.h"

namespace strew {

/// Uninitialised memory, aligned to cache lines; large ones are kept for the next. Throws std::bad_alloc.
class Scratch {
 public:
  explicit Scratch(std::int64_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// nullptr for 0 bytes.
  std::byte* data() const noexcept { return memory_; }

 private:
  std::byte* memory_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// Bytes rounded up to cache lines: parts of scratch memory for different tasks share none.
constexpr std::int64_t whole_lines(std::int64_t bytes) noexcept {
  return div_up(bytes, kCacheLineBytes) * kCacheLineBytes;
}

inline constexpr std::int64_t kThreadScratch = 32 << 10;

/// So many bytes that the calling thread keeps until it ends, for what does not fit on small stacks; nullptr
/// where there are none. Functions that use it must not call each other.
std::byte* thread_scratch() noexcept;

/// The most bytes of scratch memory that were in use at once since the last call of this, in the whole process.
std::int64_t take_scratch_peak() noexcept;

}  // namespace strew
