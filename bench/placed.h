// Placed: memory that begins so many bytes behind a cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace strew::bench {

class Placed {
 public:
  Placed(std::int64_t bytes, std::int64_t offset) : offset_(static_cast<std::size_t>(offset)) {
    memory_.reset(static_cast<std::byte*>(
        std::aligned_alloc(64, (static_cast<std::size_t>(bytes) + offset_ + 64) / 64 * 64)));
  }
  std::byte* data() const { return memory_.get() + offset_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::size_t offset_;
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace strew::bench
