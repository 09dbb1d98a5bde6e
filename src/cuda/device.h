// The device interface of kernels. Kernels use no CUDA built-ins: a kernel is a struct of parameters that calls
// the functions of a Thread. Under nvcc a Thread is empty, and each function compiles to a few instructions.
// Without nvcc, the host emulates the threads in random order (tests/cuda/host_device.cc).
//
// A kernel has `template <class Thread> void operator()(const Thread&) const`. If the threads of a block
// cooperate, the kernel instead has kPhases functions `template <int kPhase> void phase(thread, tile, shared)`,
// with a barrier after each phase. A tile is the part of the work that a block does at a time.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "cuda/queue.h"

#if defined(__CUDACC__)
#define STREW_DEVICE __device__ __forceinline__
#define STREW_UNROLL _Pragma("unroll")
#else
#define STREW_DEVICE inline
#define STREW_UNROLL
#endif

namespace strew::cuda {

#if defined(__CUDACC__)

inline constexpr int kThreads = 256;  // number of threads in a block
inline constexpr int kBlocks = 1;     // minimum number of blocks per multiprocessor; more would spill registers

struct Thread {
  using Word64 = unsigned long long;
  STREW_DEVICE std::int64_t index() const { return std::int64_t{blockIdx.x} * kThreads + threadIdx.x; }
  STREW_DEVICE std::int64_t step() const { return std::int64_t{gridDim.x} * kThreads; }
  STREW_DEVICE int local() const { return static_cast<int>(threadIdx.x); }

  static constexpr int kGroup = 32;  ///< number of threads that run together and must all call from_lane
  STREW_DEVICE static int lane() { return static_cast<int>(threadIdx.x % kGroup); }
  /// Returns the `value` (2, 4 or 8 bytes) that thread `lane` of the group passes.
  template <class T>
  STREW_DEVICE static T from_lane(T value, int lane) {
    constexpr unsigned kAll = 0xFFFFFFFFu;
    if constexpr (sizeof(T) == 2) {
      const std::uint32_t bits = std::bit_cast<std::uint16_t>(value);
      return std::bit_cast<T>(static_cast<std::uint16_t>(__shfl_sync(kAll, bits, lane)));
    } else {
      return __shfl_sync(kAll, value, lane);
    }
  }

  STREW_DEVICE static void atomic_min(std::uint64_t* at, std::uint64_t value) {
    atomicMin(reinterpret_cast<Word64*>(at), static_cast<Word64>(value));
  }
  STREW_DEVICE static void atomic_max(std::uint64_t* at, std::uint64_t value) {
    atomicMax(reinterpret_cast<Word64*>(at), static_cast<Word64>(value));
  }
  STREW_DEVICE static void atomic_max(std::uint32_t* at, std::uint32_t value) { atomicMax(at, value); }
  STREW_DEVICE static std::uint64_t atomic_add(std::uint64_t* at, std::uint64_t value) {
    return atomicAdd(reinterpret_cast<Word64*>(at), static_cast<Word64>(value));
  }
  STREW_DEVICE static std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t value) {
    return atomicAdd(at, value);
  }
  /// Stores `wanted` if the value is `expected`; returns the previous value.
  STREW_DEVICE static std::uint64_t exchange_if(std::uint64_t* at, std::uint64_t expected, std::uint64_t wanted) {
    return atomicCAS(reinterpret_cast<Word64*>(at), static_cast<Word64>(expected), static_cast<Word64>(wanted));
  }
  STREW_DEVICE static std::uint32_t exchange_if(std::uint32_t* at, std::uint32_t expected, std::uint32_t wanted) {
    return atomicCAS(at, expected, wanted);
  }
  /// Loads or stores a word that other threads may access.
  template <class T>
  STREW_DEVICE static T load(const T* at) {
    return *static_cast<const volatile T*>(at);
  }
  template <class T>
  STREW_DEVICE static void store(T* at, T value) {
    *static_cast<volatile T*>(at) = value;
  }
};

template <class Kernel>
__global__ void __launch_bounds__(kThreads, kBlocks) run_kernel(const __grid_constant__ Kernel kernel) {
  kernel(Thread{});
}

template <class Kernel, int kPhase = 0>
STREW_DEVICE void run_phases(const Kernel& kernel, std::int64_t tile, typename Kernel::Shared& shared) {
  kernel.template phase<kPhase>(Thread{}, tile, shared);
  __syncthreads();
  if constexpr (kPhase + 1 < Kernel::kPhases) run_phases<Kernel, kPhase + 1>(kernel, tile, shared);
}

template <class Kernel>
__global__ void __launch_bounds__(kThreads, kBlocks)
    run_tiles(const __grid_constant__ Kernel kernel, std::int64_t tiles) {
  __shared__ typename Kernel::Shared shared;
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) run_phases(kernel, tile, shared);
}

template <class Function, class Kernel, class... Rest>
void start(Queue& queue, std::int64_t blocks, const Function& function, const Kernel& kernel, Rest... rest) {
  static_assert(sizeof(Kernel) <= 4000, "kernel parameters are limited to 4 KiB");
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks < queue.most_blocks() ? blocks : queue.most_blocks()));
  config.blockDim = dim3(kThreads);
  config.stream = static_cast<cudaStream_t>(queue.stream());
  queue.note("cudaLaunchKernelEx", cudaLaunchKernelEx(&config, function, kernel, rest...));
}

/// Runs a kernel with one thread per item, but with no more threads than the device can run at once.
template <class Kernel>
void launch(Queue& queue, std::int64_t items, const Kernel& kernel) {
  if (items <= 0 || queue.failed()) return;
  start(queue, (items - 1) / kThreads + 1, run_kernel<Kernel>, kernel);
}

/// Runs all phases of a kernel for each tile. A block processes one tile at a time.
template <class Kernel>
void launch_tiles(Queue& queue, std::int64_t tiles, const Kernel& kernel) {
  if (tiles <= 0 || queue.failed()) return;
  start(queue, tiles, run_tiles<Kernel>, kernel, tiles);
}

#else  // the host

inline constexpr int kThreads = 32;  // few, so that small calls use several blocks and tiles

class Thread {
 public:
  Thread(std::int64_t index, std::int64_t step) : index_(index), step_(step) {}
  std::int64_t index() const { return index_; }
  std::int64_t step() const { return step_; }
  int local() const { return static_cast<int>(index_ % kThreads); }

  static constexpr int kGroup = 1;
  static int lane() { return 0; }
  template <class T>
  static T from_lane(T value, int) {
    return value;
  }

  template <class T>
  static void atomic_min(T* at, T value) {
    for (T old = load(at); value < old && !std::atomic_ref(*at).compare_exchange_weak(old, value);) {
    }
  }
  template <class T>
  static void atomic_max(T* at, T value) {
    for (T old = load(at); value > old && !std::atomic_ref(*at).compare_exchange_weak(old, value);) {
    }
  }
  template <class T>
  static T atomic_add(T* at, T value) {
    return std::atomic_ref(*at).fetch_add(value, std::memory_order_relaxed);
  }
  template <class T>
  static T exchange_if(T* at, T expected, T wanted) {
    std::atomic_ref(*at).compare_exchange_strong(expected, wanted, std::memory_order_relaxed);
    return expected;
  }
  template <class T>
  static T load(const T* at) {
    return std::atomic_ref(*const_cast<T*>(at)).load(std::memory_order_relaxed);
  }
  template <class T>
  static void store(T* at, T value) {
    std::atomic_ref(*at).store(value, std::memory_order_relaxed);
  }

 private:
  std::int64_t index_, step_;
};

/// A type-erased kernel. `run` executes one phase of one thread; `tile` is -1 for a kernel without phases.
struct HostKernel {
  std::shared_ptr<const void> kernel;  ///< a copy, as a CUDA launch copies parameters
  int phases;
  std::size_t shared_bytes;
  void (*run)(const void* kernel, int phase, const Thread& thread, std::int64_t tile, void* shared);
};

/// Defined in tests/cuda/host_device.cc. Kernels run in the order of the queue's stream.
void run_on_host(Queue& queue, std::int64_t items, const HostKernel& kernel);
void run_tiles_on_host(Queue& queue, std::int64_t tiles, const HostKernel& kernel);

template <class Kernel>
void launch(Queue& queue, std::int64_t items, const Kernel& kernel) {
  if (items <= 0 || queue.failed()) return;
  run_on_host(queue, items,
              {std::make_shared<const Kernel>(kernel), 1, 0,
               [](const void* k, int, const Thread& thread, std::int64_t, void*) {
                 (*static_cast<const Kernel*>(k))(thread);
               }});
}

template <class Kernel>
void launch_tiles(Queue& queue, std::int64_t tiles, const Kernel& kernel) {
  if (tiles <= 0 || queue.failed()) return;
  using Shared = typename Kernel::Shared;
  const auto run = [](const void* k, int phase, const Thread& thread, std::int64_t tile, void* shared) {
    [&]<int... kPhase>(std::integer_sequence<int, kPhase...>) {
      const auto one = [&](auto number) {
        if (phase != number) return;
        static_cast<const Kernel*>(k)->template phase<number>(thread, tile, *static_cast<Shared*>(shared));
      };
      (one(std::integral_constant<int, kPhase>()), ...);
    }
    (std::make_integer_sequence<int, Kernel::kPhases>());
  };
  run_tiles_on_host(queue, tiles, {std::make_shared<const Kernel>(kernel), Kernel::kPhases, sizeof(Shared), run});
}

#endif

}  // namespace strew::cuda
