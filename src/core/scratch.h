// Scratch: memory that a call works in.
#pragma once

#include <cstddef>
#include <cstdint>

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

/// The most bytes of scratch memory that were in use at once since the last call of this, in the whole process.
std::int64_t take_scratch_peak() noexcept;

}  // namespace strew
