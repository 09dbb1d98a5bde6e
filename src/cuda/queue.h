// A stream of the machine that kernels run on, for one call. nvidia/ has the one for CUDA.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "strew/error.h"

namespace strew::cuda {

struct CallState;

/// A stable sort of pairs by the lowest bits of their key.
struct SortCall {
  const void* key;
  void* sorted_key;
  const void* position;
  void* sorted_position;
  bool wide;  ///< all are 64 bits wide, not 32
  std::int64_t count;
  int bits;
  void* scratch;  ///< Queue::sort_bytes of them
  std::int64_t scratch_bytes;
};

class Queue {
 public:
  explicit Queue(void* stream);

  void* stream() const noexcept { return stream_; }
  /// Blocks of threads that the device holds at once.
  std::int64_t most_blocks() const noexcept { return most_blocks_; }

  /// In the order of the stream. nullptr where there is no memory.
  void* allocate(std::int64_t bytes);
  void release(void* memory);
  /// In no order, and until somebody releases it.
  void* allocate_kept(std::int64_t bytes);
  static void release_kept(void* memory);
  void clear(void* at, int byte, std::int64_t bytes);
  std::int64_t sort_bytes(std::int64_t count, bool wide);
  void sort(const SortCall& call);
  /// Nobody may touch these bytes between pieces of the workspace; where `fenced` is false they are memory again.
  void fence(void* at, std::int64_t bytes, bool fenced);

  /// What the machine says of a step; the first failure is kept.
  void note(int error) noexcept {
    if (error_ == 0) error_ = error;
  }
  /// No error, or its words.
  Status status(std::string_view op) const { return words_of(error_, op); }
  static Status words_of(int number, std::string_view op);

 private:
  void* stream_;
  std::int64_t most_blocks_ = 1;
  int error_ = 0;
};

/// The state of a call on its way to the host.
class Receipt {
 public:
  virtual ~Receipt() = default;
  virtual bool ready() const = 0;
  virtual int wait() const = 0;                ///< what the machine says: 0, or an error of work before it
  virtual const CallState& state() const = 0;  ///< once it is ready
};

/// Copies the state when the stream gets there. Where that fails the queue says so.
std::unique_ptr<Receipt> request_state(Queue& queue, const CallState* state);

}  // namespace strew::cuda
