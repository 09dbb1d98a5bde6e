// A CUDA stream.
#include "cuda/queue.h"

#include <cuda_runtime.h>

#include "core/error.h"
#include "cuda/positions.h"
#include "strew/cuda.h"

namespace strew::cuda {
namespace {

cudaStream_t stream_of(const Queue& queue) { return static_cast<cudaStream_t>(queue.stream()); }

// The state in memory that the host sees, and the event behind its copy.
class PinnedReceipt final : public Receipt {
 public:
  explicit PinnedReceipt(Queue& queue) {
    queue.note(cudaMallocHost(&state_, sizeof *state_));
    queue.note(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  ~PinnedReceipt() override {
    if (event_ != nullptr) cudaEventSynchronize(event_);  // the copy may be under way
    if (event_ != nullptr) cudaEventDestroy(event_);
    cudaFreeHost(state_);
  }
  PinnedReceipt(const PinnedReceipt&) = delete;
  PinnedReceipt& operator=(const PinnedReceipt&) = delete;

  void request(Queue& queue, const CallState* state) {
    if (state_ == nullptr || event_ == nullptr) return;
    queue.note(cudaMemcpyAsync(state_, state, sizeof *state_, cudaMemcpyDeviceToHost, stream_of(queue)));
    queue.note(cudaEventRecord(event_, stream_of(queue)));
  }
  bool ready() const override { return cudaEventQuery(event_) != cudaErrorNotReady; }
  int wait() const override { return cudaEventSynchronize(event_); }
  const CallState& state() const override { return *state_; }

 private:
  CallState* state_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

}  // namespace

bool available() noexcept {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

Queue::Queue(void* stream) : stream_(stream) {
  int device = 0;
  int processors = 1;
  int threads = kThreads;
  note(cudaGetDevice(&device));
  if (error_ != 0) return;
  note(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  note(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  most_blocks_ = std::int64_t{processors} * (threads / kThreads);
}

void* Queue::allocate(std::int64_t bytes) {
  void* memory = nullptr;
  note(cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), stream_of(*this)));
  return memory;
}

void Queue::release(void* memory) { note(cudaFreeAsync(memory, stream_of(*this))); }

void* Queue::allocate_kept(std::int64_t bytes) {
  void* memory = nullptr;
  note(cudaMalloc(&memory, static_cast<std::size_t>(bytes)));
  return memory;
}

void Queue::release_kept(void* memory) { cudaFree(memory); }

void Queue::clear(void* at, int byte, std::int64_t bytes) {
  note(cudaMemsetAsync(at, byte, static_cast<std::size_t>(bytes), stream_of(*this)));
}

void Queue::fence(void*, std::int64_t, bool) {}

Status Queue::words_of(int number, std::string_view op) {
  if (number == cudaSuccess) return {};
  const auto error = static_cast<cudaError_t>(number);
  const std::string_view words = cudaGetErrorString(error);
  if (error == cudaErrorMemoryAllocation) return fail(ErrorCode::kOutOfMemory, op, ": CUDA says: ", words);
  return fail(ErrorCode::kUnsupported, op, ": CUDA says: ", words);
}

std::unique_ptr<Receipt> request_state(Queue& queue, const CallState* state) {
  auto receipt = std::make_unique<PinnedReceipt>(queue);
  receipt->request(queue, state);
  return receipt;
}

}  // namespace strew::cuda
