// Transfers call states to the host. Reuses pinned memory and events: creating them is slow, and destroying them
// makes the host wait for the device.
#include <cuda_runtime.h>

#include <atomic>
#include <deque>
#include <mutex>

#include "cuda/nvidia/relaxed.h"
#include "cuda/positions.h"
#include "cuda/queue.h"

namespace strew::cuda {
namespace {

// Memory for a state, and the event that follows the copy into this memory.
struct Slot {
  CallState* state = nullptr;
  cudaEvent_t event = nullptr;
  int device = 0;
};

// True if the stream has passed an event.
bool reached(cudaEvent_t event) {
  if (cudaEventQuery(event) != cudaErrorNotReady) return true;
  cudaGetLastError();  // clears the error, which another library's next call would report
  return false;
}

// Free slots; copies into them may be under way. Never destroyed, since the driver may be gone at process exit.
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
      if (!reached(free->event)) break;  // later slots were released later
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
  // Keeps the slot if a graph may write to it again, or if the end of its copy cannot be detected.
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
  bool unseen_ = false;  ///< a copy is under way without an event
};

}  // namespace

std::unique_ptr<Receipt> request_state(Queue& queue, const CallState* state) {
  return std::make_unique<SlotReceipt>(queue, state);
}

}  // namespace strew::cuda
