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

/// What a call to the machine said, where that was not success.
struct Failure {
  const char* call = "";
  int error = 0;
};

class Queue {
 public:
  explicit Queue(void* stream);

  void* stream() const noexcept { return stream_; }
  /// Whether what is put into the stream becomes part of a graph, so that it cannot be waited for.
  bool captures() const noexcept { return captures_; }
  /// Blocks of threads that the device holds at once.
  std::int64_t most_blocks() const noexcept { return most_blocks_; }

  /// In the order of the stream. nullptr where there is no memory.
  void* allocate(std::int64_t bytes);
  void release(void* memory);
  /// In no order, and until it is released.
  void* allocate_kept(std::int64_t bytes);
  static void release_kept(void* memory);
  void clear(void* at, int byte, std::int64_t bytes);
  std::int64_t sort_bytes(std::int64_t count, bool wide);
  void sort(const SortCall& call);
  /// These bytes must not be touched between buffers of the workspace; where `fenced` is false they are memory
  /// again.
  void fence(void* at, std::int64_t bytes, bool fenced);

  /// What the machine says of a call to it; the first failure is kept.
  void note(const char* call, int error) noexcept {
    if (!failed()) failure_ = {call, error};
  }
  /// Nothing more of the call goes into the stream then: what should have come before it may not have.
  bool failed() const noexcept { return failure_.error != 0; }
  /// No error, or its words.
  Status status(std::string_view op) const { return words_of(failure_, op); }
  static Status words_of(const Failure& failure, std::string_view op);

 private:
  void* stream_;
  std::int64_t most_blocks_ = 1;
  bool captures_ = false;
  Failure failure_;
};

/// The state of a call on its way to the host.
class Receipt {
 public:
  virtual ~Receipt() = default;
  /// Whether the call lies in a graph: its state arrives with every launch, which cannot be waited for.
  virtual bool captured() const = 0;
  virtual bool ready() const = 0;
  virtual Failure wait() const = 0;            ///< what the machine says of this, or of work before it
  virtual const CallState& state() const = 0;  ///< once it is ready
};

/// Copies the state when the stream gets there. Where that fails the queue says so. Allocates nothing where an
/// earlier receipt is no longer needed, and waits for nothing.
std::unique_ptr<Receipt> request_state(Queue& queue, const CallState* state);

}  // namespace strew::cuda
