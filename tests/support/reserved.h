// Memory for tensors of which a test accesses only a small part.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace strew::support {

/// Pages of zeros that take memory only after they are written.
class Reserved {
 public:
  explicit Reserved(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)),
        memory_(
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Reserved() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  /// Returns nullptr if there is no address space.
  std::uint8_t* data() const { return memory_ == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace strew::support
