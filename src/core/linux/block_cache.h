// BlockCache: large blocks of memory that are kept after use for the next one who needs as much.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace strew {

/// Threads may share it. Contents of a block are uninitialised. AddressSanitizer knows what is in use.
class BlockCache {
 public:
  static constexpr std::size_t kSmallest = std::size_t{1} << 20;  ///< bytes worth a block

  /// Keeps up to `limit` bytes, less where what is in use and what is kept were more than `total`.
  explicit BlockCache(std::size_t limit, std::size_t total = std::numeric_limits<std::size_t>::max()) noexcept
      : limit_(limit), total_(total) {}
  ~BlockCache() { trim(0); }
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// At least this many bytes, on a page of their own. Throws std::bad_alloc.
  void* take(std::size_t bytes);
  /// False, and nothing done, where it is no block in use.
  bool give(void* memory) noexcept;
  /// Bytes that were asked for; 0 where it is no block in use.
  std::size_t bytes_of(const void* memory) const noexcept;
  /// Makes a block in use count for another size, where that fits and wastes less than half.
  bool resize(void* memory, std::size_t bytes) noexcept;

  void set_limit(std::size_t limit) noexcept;
  std::size_t limit() const noexcept;
  std::size_t kept_bytes() const noexcept;
  /// Returns the oldest to the operating system until no more than this is kept.
  void trim(std::size_t limit) noexcept;
  /// Returns blocks that were not reused for so long.
  void trim_unused(std::chrono::nanoseconds age) noexcept;

  /// Held over a fork, so that the child finds the lists whole.
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Block {
    void* memory;
    std::size_t capacity;
    Clock::time_point given = {};  // back
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
  std::vector<Block>
      kept_;  // the first was given back first; capacity for all in use, so that returning one cannot fail
  std::size_t kept_bytes_ = 0;
  std::size_t used_bytes_ = 0;
  std::size_t limit_;
  std::size_t total_;
};

/// The one of the process. Never destroyed: memory may be given back at exit.
BlockCache& block_cache() noexcept;

}  // namespace strew
