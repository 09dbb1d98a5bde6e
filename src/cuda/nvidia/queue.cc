// The queue of a CUDA stream, and transfers of call states to the host. Transfers reuse pinned memory and events:
// creating them is slow, and destroying them makes the host wait for the device.
#include "cuda/queue.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <string_view>

#include "core/error.h"
#include "cuda/device.h"
#include "cuda/positions.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {
namespace {

// Allows calls that CUDA forbids while another thread captures a graph. During the lifetime of this object, its
// thread may allocate memory, free it and query events without invalidating a capture. These calls are not
// captured and must not depend on captured work.
class Relaxed {
 public:
  Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

cudaStream_t stream_of(const Queue& queue) { return static_cast<cudaStream_t>(queue.stream()); }

// The lowest compute capability of the compiled kernels, in CUDA's encoding: 800 is 8.0.
constexpr int kLowest = std::min({__CUDA_ARCH_LIST__});

struct Machine {
  cudaError_t error = cudaSuccess;
  int driver = 0;  ///< 12080 is CUDA 12.8; 0: no driver
  int devices = 0;
  int capability = 0;  ///< highest of all devices

  bool usable() const noexcept { return error == cudaSuccess && devices > 0 && capability >= kLowest; }
};

Machine look() noexcept {
  Machine here;
  cudaDriverGetVersion(&here.driver);
  here.error = cudaGetDeviceCount(&here.devices);
  if (here.error != cudaSuccess) {
    here.devices = 0;
    cudaGetLastError();  // clears the error, which another library's next call would otherwise report
  }
  for (int device = 0; device < here.devices; ++device) {
    int major = 0;
    int minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    here.capability = std::max(here.capability, 100 * major + 10 * minor);
  }
  return here;
}

// Memory for a state, and the event that follows the copy into this memory.
struct Slot {
  CallState* state = nullptr;
  cudaEvent_t event = nullptr;
  int device = 0;
};

// True if the stream has passed an event.
bool reached(cudaEvent_t event) {
  if (cudaEventQuery(event) != cudaErrorNotReady) return true;
  cudaGetLastError();  // clears the error, which another library's next call would otherwise report
  return false;
}

// Free slots; copies into them may be under way. Is never destroyed, since the driver may be gone at process exit.
class Slots {
 public:
  static Slots& all() {
    static auto* const slots = new Slots;
    return *slots;
  }

  Slot take(Queue& queue) {
    Slot slot;
    queue.note("cudaGetDevice", cudaGetDevice(&slot.device));
    const Relaxed relaxed;
    const std::lock_guard lock(mutex_);
    for (auto free = free_.begin(); free != free_.end(); ++free) {
      if (free->device != slot.device) continue;
      if (!reached(free->event)) break;  // the slots after this one were released later
      slot = *free;
      free_.erase(free);
      return slot;
    }
    void* state = nullptr;
    queue.note("cudaHostAlloc", cudaHostAlloc(&state, sizeof *slot.state, cudaHostAllocPortable));
    queue.note("cudaEventCreateWithFlags", cudaEventCreateWithFlags(&slot.event, cudaEventDisableTiming));
    slot.state = static_cast<CallState*>(state);
    return slot;
  }
  void give_back(const Slot& slot) {
    const std::lock_guard lock(mutex_);
    free_.push_back(slot);
  }

 private:
  std::mutex mutex_;
  std::deque<Slot> free_;
};

class SlotReceipt final : public Receipt {
 public:
  SlotReceipt(Queue& queue, const CallState* state) : captured_(queue.captures()) {
    if (queue.failed()) return;
    slot_ = Slots::all().take(queue);
    if (queue.failed()) return;
    auto* const stream = static_cast<cudaStream_t>(queue.stream());
    slot_.state->arrived = 0;
    queue.note("cudaMemcpyAsync",
               cudaMemcpyAsync(slot_.state, state, sizeof *state, cudaMemcpyDeviceToHost, stream));
    if (captured_ || queue.failed()) return;
    queue.note("cudaEventRecord", cudaEventRecord(slot_.event, stream));
    unseen_ = queue.failed();
  }
  // Gives the slot back, unless a graph may write to it again or the end of its copy cannot be detected.
  ~SlotReceipt() override {
    if (captured_ || unseen_ || slot_.state == nullptr || slot_.event == nullptr) return;
    Slots::all().give_back(slot_);
  }
  SlotReceipt(const SlotReceipt&) = delete;
  SlotReceipt& operator=(const SlotReceipt&) = delete;

  bool captured() const override { return captured_; }
  bool ready() const override {
    if (captured_) return std::atomic_ref(slot_.state->arrived).load(std::memory_order_acquire) != 0;
    const Relaxed relaxed;
    return reached(slot_.event);
  }
  Failure wait() const override {
    if (captured_) return {};
    const Relaxed relaxed;
    return {"cudaEventSynchronize", cudaEventSynchronize(slot_.event)};
  }
  const CallState& state() const override { return *slot_.state; }

 private:
  Slot slot_;
  bool captured_;
  bool unseen_ = false;  ///< true if a copy is under way without an event
};

}  // namespace

bool available() noexcept { return look().usable(); }

Status check_available() {
  const Machine here = look();
  if (here.usable()) return {};
  if (here.error == cudaSuccess || here.error == cudaErrorNoDevice) {
    if (here.devices == 0) {
      return fail(ErrorCode::kUnsupported, "no CUDA device is visible to this process (CUDA_VISIBLE_DEVICES)");
    }
    return fail(ErrorCode::kUnsupported, "the newest device has compute capability ", here.capability / 100, '.',
                here.capability % 100 / 10, ", and the kernels were compiled for ", kLowest / 100, '.',
                kLowest % 100 / 10, " and newer");
  }
  if (here.error != cudaErrorInsufficientDriver) {
    return fail(ErrorCode::kDevice, "cudaGetDeviceCount failed with ",
                std::string_view(cudaGetErrorName(here.error)), ": ",
                std::string_view(cudaGetErrorString(here.error)));
  }
  constexpr int kMajor = CUDART_VERSION / 1000;
  if (here.driver == 0) {
    return fail(ErrorCode::kUnsupported, "there is no CUDA driver; one for CUDA ", kMajor, " or newer is needed");
  }
  return fail(ErrorCode::kUnsupported, "the driver is for CUDA ", here.driver / 1000, '.', here.driver % 1000 / 10,
              "; one for CUDA ", kMajor, " or newer is needed");
}

Queue::Queue(void* stream) : stream_(stream) {
  int device = 0;
  int processors = 1;
  int threads = kThreads;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  note("cudaGetDevice", cudaGetDevice(&device));
  if (failed()) return;
  note("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  note("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  most_blocks_ = std::int64_t{processors} * (threads / kThreads);
  note("cudaStreamIsCapturing", cudaStreamIsCapturing(stream_of(*this), &status));
  captures_ = status != cudaStreamCaptureStatusNone;
}

void* Queue::allocate(std::int64_t bytes) {
  void* memory = nullptr;
  note("cudaMallocAsync", cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), stream_of(*this)));
  return memory;
}

void Queue::release(void* memory) { note("cudaFreeAsync", cudaFreeAsync(memory, stream_of(*this))); }

void* Queue::allocate_kept(std::int64_t bytes) {
  void* memory = nullptr;
  note("cudaMalloc", cudaMalloc(&memory, static_cast<std::size_t>(bytes)));
  return memory;
}

void Queue::release_kept(void* memory) {
  const Relaxed relaxed;
  cudaFree(memory);
}

void Queue::clear(void* at, int byte, std::int64_t bytes) {
  if (failed()) return;
  note("cudaMemsetAsync", cudaMemsetAsync(at, byte, static_cast<std::size_t>(bytes), stream_of(*this)));
}

Status Queue::make_status(const Failure& failure, std::string_view op) {
  const auto error = static_cast<cudaError_t>(failure.error);
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // clears the error, which another library's next call would otherwise report
  const std::string_view words = cudaGetErrorString(error);
  const ErrorCode code = error == cudaErrorMemoryAllocation ? ErrorCode::kOutOfMemory
                         : error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ||
                                 error == cudaErrorNoKernelImageForDevice
                             ? ErrorCode::kUnsupported
                             : ErrorCode::kDevice;
  return fail(code, {op}, std::string_view(failure.call), " failed with ",
              std::string_view(cudaGetErrorName(error)), ": ", words);
}

std::unique_ptr<Receipt> request_state(Queue& queue, const CallState* state) {
  return std::make_unique<SlotReceipt>(queue, state);
}

}  // namespace strew::cuda
