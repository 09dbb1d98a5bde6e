// Runs tests of the emulated device on a real one. Operator new allocates managed memory, so kernels can read it.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory_resource>
#include <new>

#include "cuda/host_device.h"

namespace strew::cuda {
namespace {

constexpr std::size_t kArenaBytes = std::size_t{1} << 30;
constexpr std::size_t kHeader = 64;  // holds the size of a block, and keeps its alignment

std::pmr::memory_resource& managed_memory() {
  static std::pmr::monotonic_buffer_resource arena(
      [] {
        void* memory = nullptr;
        const cudaError_t error = cudaMallocManaged(&memory, kArenaBytes);
        if (error != cudaSuccess) {
          std::fprintf(stderr, "cudaMallocManaged: %s\n", cudaGetErrorString(error));
          std::abort();
        }
        return memory;
      }(),
      kArenaBytes, std::pmr::null_memory_resource());
  static std::pmr::synchronized_pool_resource pool(&arena);
  return pool;
}

void* allocate(std::size_t bytes) {
  auto* const block = static_cast<std::byte*>(managed_memory().allocate(bytes + kHeader, kHeader));
  *reinterpret_cast<std::size_t*>(block) = bytes;
  return block + kHeader;
}

void release(void* memory) {
  if (memory == nullptr) return;
  std::byte* const block = static_cast<std::byte*>(memory) - kHeader;
  managed_memory().deallocate(block, *reinterpret_cast<std::size_t*>(block) + kHeader, kHeader);
}

}  // namespace

HostDevice& host_device() {
  static HostDevice settings;  // have no effect on a real device
  return settings;
}

}  // namespace strew::cuda

void* operator new(std::size_t bytes) { return strew::cuda::allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t) { return strew::cuda::allocate(bytes); }
void operator delete(void* memory) noexcept { strew::cuda::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { strew::cuda::release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { strew::cuda::release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { strew::cuda::release(memory); }
