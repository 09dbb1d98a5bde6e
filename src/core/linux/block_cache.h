// BlockCache: keeps freed large blocks of memory for later requests of about the same size.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace strew {

/// Thread-safe. Blocks are uninitialised. AddressSanitizer reports accesses to blocks that are not in use.
class BlockCache {
 public:
  static constexpr std::size_t kSmallest = std::size_t{1} << 20;  ///< minimum size of a block

  /// Caches up to `limit` bytes, less if blocks in use and cached blocks together would exceed `total`.
  explicit BlockCache(std::size_t limit, std::size_t total = std::numeric_limits<std::size_t>::max()) noexcept
      : limit_(limit), total_(total) {}
  ~BlockCache() { trim(0); }
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// Allocates at least `bytes`, page-aligned. Throws std::bad_alloc.
  void* take(std::size_t bytes);
  /// Frees a block; returns false and does nothing if `memory` is not a block in use.
  bool give(void* memory) noexcept;
  /// Returns the requested size; 0 if the memory is not a block in use.
  std::size_t bytes_of(const void* memory) const noexcept;
  /// Changes the size of a block in use; returns false if its capacity is below `bytes` or above 2 * `bytes`.
  bool resize(void* memory, std::size_t bytes) noexcept;

  void set_limit(std::size_t limit) noexcept;
  std::size_t limit() const noexcept;
  std::size_t kept_bytes() const noexcept;
  /// Releases blocks larger than `limit`, then the oldest, until at most `limit` bytes are cached.
  void trim(std::size_t limit) noexcept;
  /// Releases blocks that have not been reused for `age`.
  void trim_unused(std::chrono::nanoseconds age) noexcept;

  /// Held during a fork, so that the child finds consistent lists.
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Block {
    void* memory;
    std::size_t capacity;
    Clock::time_point given = {};  // when it was freed
  };
  struct Use {
    std::size_t capacity;
    std::size_t bytes;
  };

  Block take_out(std::vector<Block>::iterator block) noexcept;
  Block take_kept(std::size_t bytes) noexcept;
  Block oldest_above(std::size_t limit) noexcept;

  mutable std::mutex mutex_;
  std::unordered_map<const void*, Use> used_;
  std::vector<Block> kept_;  // oldest first; has capacity for all blocks in use, so that freeing cannot fail
  std::size_t kept_bytes_ = 0;
  std::size_t used_bytes_ = 0;
  std::size_t limit_;
  std::size_t total_;
};

/// The cache of the process. Never destroyed, since memory may be freed at exit.
BlockCache& block_cache() noexcept;

}  // namespace strew
