// New tensors in memory that Strew keeps.
#include "memory.h"

#include <c10/core/CPUAllocator.h>

#include "strew/memory.h"

namespace strew::aten {
namespace {

constexpr std::size_t kLeastKept = std::size_t{1} << 20;

// torch's profiler is told, as by torch's own allocator.
void free_block(void* block) {
  if (block == nullptr) return;
  c10::profiledCPUMemoryReporter().Delete(block);
  free_memory(block);
}

class KeptMemory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes < kLeastKept) return c10::GetDefaultCPUAllocator()->allocate(bytes);
    void* block = allocate_memory(static_cast<std::int64_t>(bytes));
    if (block == nullptr) return c10::GetDefaultCPUAllocator()->allocate(bytes);  // which says what is missing
    c10::profiledCPUMemoryReporter().New(block, bytes);
    return {block, block, free_block, c10::Device(c10::DeviceType::CPU)};
  }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

}  // namespace

c10::Allocator& kept_memory() {
  static auto* const memory = new KeptMemory;  // tensors may outlive everything here
  return *memory;
}

void keep_all_memory(bool all) {
  static c10::Allocator* before = nullptr;  // while all is kept
  if (all == (before != nullptr)) return;
  c10::Allocator* const now = all ? &kept_memory() : before;
  before = all ? c10::GetCPUAllocator() : nullptr;
  c10::SetCPUAllocator(now);
}

}  // namespace strew::aten
