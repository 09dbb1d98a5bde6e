// Scratch: working memory of a call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/arithmetic.h"
#include "core/machine.h"

namespace strew {

/// Uninitialised memory, aligned to cache lines; large blocks are cached. Throws std::bad_alloc.
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

/// Rounds bytes up to cache lines, so that the scratch memory of different tasks shares none.
constexpr std::int64_t whole_lines(std::int64_t bytes) noexcept {
  return div_up(bytes, kCacheLineBytes) * kCacheLineBytes;
}

inline constexpr std::int64_t kThreadScratch = 32 << 10;

/// Returns kThreadScratch bytes that belong to the calling thread until it ends, for data too large for small
/// stacks; nullptr if there is no memory. Functions that use it must not call each other.
std::byte* thread_scratch() noexcept;

/// Returns the peak of scratch memory in bytes, of the whole process, since the previous call of this function.
std::int64_t take_scratch_peak() noexcept;

}  // namespace strew
