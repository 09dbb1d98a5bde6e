// The device memory that a call works in, cut into pieces.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/positions.h"
#include "cuda/queue.h"

namespace strew::cuda {

struct PieceSizes {
  bool wide = false;
  std::int64_t chosen = 0;  ///< numbers that a check writes
  std::int64_t winners = 0;
  std::int64_t sorted = 0;  ///< positions that are sorted
  std::int64_t sort_bytes = 0;
};

/// Pieces of one block of memory, each behind a gap that nobody may touch. Without a base only their size is
/// known.
class Pieces {
 public:
  Pieces(const PieceSizes& sizes, void* base);

  std::int64_t bytes() const noexcept { return used_; }
  /// Has the gaps watched, where the machine can.
  void fence(Queue& queue, bool fenced) const;

  CallState* state = nullptr;
  Numbers chosen, winner, key, position, sorted_key, sorted_position, run;
  std::uint64_t* run_count = nullptr;
  void* sort = nullptr;
  std::int64_t sort_bytes = 0;

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

/// Numbers of 64 bits for calls that do not need them, in tests.
class PretendLarge {
 public:
  PretendLarge();
  ~PretendLarge();
  PretendLarge(const PretendLarge&) = delete;
  PretendLarge& operator=(const PretendLarge&) = delete;
};
bool wants_wide_numbers() noexcept;

}  // namespace strew::cuda
