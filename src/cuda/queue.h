// The stream of one call. nvidia/ implements it for CUDA.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "strew/error.h"

namespace strew::cuda {

struct CallState;

/// A stable sort of pairs by the low bits of their keys.
struct SortCall {
  const void* key;
  void* sorted_key;
  const void* position;
  void* sorted_position;
  bool wide;  ///< true if keys and positions have 64 bits, else 32
  std::int64_t count;
  int bits;
  void* scratch;  ///< memory of Queue::sort_bytes bytes
  std::int64_t scratch_bytes;
};

/// The error of a device call, if any.
struct Failure {
  const char* call = "";
  int error = 0;
};

class Queue {
 public:
  explicit Queue(void* stream);

  void* stream() const noexcept { return stream_; }
  /// True if the stream is being captured into a graph. The host then cannot wait for work.
  bool captures() const noexcept { return captures_; }
  /// Number of blocks that the device can run at once.
  std::int64_t most_blocks() const noexcept { return most_blocks_; }

  /// Allocates in stream order; returns nullptr if memory runs out.
  void* allocate(std::int64_t bytes);
  void release(void* memory);
  /// Allocates outside stream order; release_kept frees the memory.
  void* allocate_kept(std::int64_t bytes);
  static void release_kept(void* memory);
  void clear(void* at, int byte, std::int64_t bytes);
  std::int64_t sort_bytes(std::int64_t count, bool wide);
  void sort(const SortCall& call);
  /// Forbids access to a gap between buffers of the workspace if `fenced`; otherwise allows access again.
  void fence(void* at, std::int64_t bytes, bool fenced);

  /// Records the result of a device call, unless an earlier device call failed.
  void note(const char* call, int error) noexcept {
    if (!failed()) failure_ = {call, error};
  }
  /// True after a failure; the rest of the call is then not enqueued.
  bool failed() const noexcept { return failure_.error != 0; }
  /// Returns the first failure, if any.
  Status status(std::string_view op) const { return make_status(failure_, op); }
  static Status make_status(const Failure& failure, std::string_view op);

 private:
  void* stream_;
  std::int64_t most_blocks_ = 1;
  bool captures_ = false;
  Failure failure_;
};

/// The transfer of a call's state to the host.
class Receipt {
 public:
  virtual ~Receipt() = default;
  /// True if the call is part of a graph. Each launch of the graph then copies the state; wait() does not wait.
  virtual bool captured() const = 0;
  virtual bool ready() const = 0;
  virtual Failure wait() const = 0;            ///< returns the error of this or earlier work
  virtual const CallState& state() const = 0;  ///< valid once ready
};

/// Enqueues a copy of the state to the host, without waiting. Records a failure in the queue. Reuses the memory of
/// an earlier receipt if possible.
std::unique_ptr<Receipt> request_state(Queue& queue, const CallState* state);

}  // namespace strew::cuda
