// The device memory of a call, divided into buffers.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/positions.h"
#include "cuda/queue.h"

namespace strew::cuda {

/// Sizes of the buffers of a call: in bytes if the name ends in _bytes, else in elements; 0: not needed.
struct BufferSizes {
  bool wide = false;
  bool state = false;
  std::int64_t chosen = 0;  ///< location numbers that a check writes
  std::int64_t winners = 0;
  std::int64_t sorted = 0;   ///< sorted keys and positions, and runs
  std::int64_t sorting = 0;  ///< keys and positions before the sort
  std::int64_t sort_bytes = 0;
  std::int64_t hot_runs = 0;  ///< maximum number of long runs
  std::int64_t summary_bytes = 0;
};

/// Addresses of the buffers that exist.
struct Buffers {
  CallState* state = nullptr;
  Numbers chosen, winner, key, position, sorted_key, sorted_position, run;
  std::uint64_t* run_count = nullptr;
  void* sort = nullptr;
  std::int64_t sort_bytes = 0;
  std::uint64_t* hot_count = nullptr;
  std::uint64_t* hot_bounds = nullptr;
  void* summaries = nullptr;
};

/// A block of memory divided into buffers, each followed by a gap that must not be accessed. Without a base, only
/// computes the size of the block.
class Workspace {
 public:
  explicit Workspace(void* base) : base_(static_cast<std::byte*>(base)) {}

  void cut(const BufferSizes& sizes, Buffers& buffers);
  std::int64_t bytes() const noexcept { return used_; }
  /// Forbids access to the gaps (`fenced`), or allows it again, if the device supports this.
  void fence(Queue& queue, bool fenced) const;

 private:
  struct Gap {
    std::byte* at;
    std::int64_t bytes;
  };
  void* take(std::int64_t bytes);
  Numbers take_numbers(std::int64_t count, bool wide);

  std::byte* base_;
  std::int64_t used_ = 0;
  std::vector<Gap> gaps_;
};

inline std::int64_t bytes_of(const BufferSizes& sizes) {
  Workspace block(nullptr);
  Buffers buffers;
  block.cut(sizes, buffers);
  return block.bytes();
}

}  // namespace strew::cuda
