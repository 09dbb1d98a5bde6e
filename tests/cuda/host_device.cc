// Runs emulated blocks and threads one after the other. Barriers occur only between phases of a kernel, so each
// thread of a block runs a phase in turn. Shared memory and scratch memory begin with bytes other than zero.
#include "cuda/host_device.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "cuda/device.h"
#include "cuda/queue.h"
#include "support/sanitizers.h"

#if STREW_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace strew::cuda {
namespace {

constexpr int kNoise = 0xA5;

std::vector<std::int64_t> shuffled(std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  if (seed == 0) return order;
  std::mt19937_64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

// Calls `body` for each block, in a new order for each launch.
template <class Body>
void for_blocks(std::int64_t blocks, const Body& body) {
  HostDevice& device = host_device();
  if (device.seed != 0) ++device.seed;
  if (!device.real_threads) {
    for (const std::int64_t block : shuffled(blocks, device.seed)) body(block);
    return;
  }
  std::vector<std::thread> threads;
  for (std::int64_t block = 0; block < blocks; ++block) threads.emplace_back([&, block] { body(block); });
  for (std::thread& thread : threads) thread.join();
}

template <class Number>
void sort_pairs(const SortCall& call) {
  const auto* key = static_cast<const Number*>(call.key);
  const auto* position = static_cast<const Number*>(call.position);
  const Number mask =
      call.bits >= static_cast<int>(8 * sizeof(Number)) ? ~Number{0} : (Number{1} << call.bits) - 1;
  std::vector<std::size_t> order(static_cast<std::size_t>(call.count));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return (key[a] & mask) < (key[b] & mask); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    static_cast<Number*>(call.sorted_key)[i] = key[order[i]];
    static_cast<Number*>(call.sorted_position)[i] = position[order[i]];
  }
  std::memset(call.scratch, kNoise, static_cast<std::size_t>(call.scratch_bytes));
}

// Fences a gap or removes its fence. Without AddressSanitizer, a fence is a pattern that its removal checks.
void watch(void* at, std::size_t bytes, bool fenced) {
#if STREW_ASAN
  return fenced ? __asan_poison_memory_region(at, bytes) : __asan_unpoison_memory_region(at, bytes);
#else
  if (fenced) return static_cast<void>(std::memset(at, kNoise, bytes));
  const auto* byte = static_cast<const unsigned char*>(at);
  const bool same = std::all_of(byte, byte + bytes, [](unsigned char b) { return b == kNoise; });
  if (!same) host_device().gap_touched = true;
#endif
}

}  // namespace

HostDevice& host_device() {
  static HostDevice device;
  return device;
}

std::int64_t Queue::sort_bytes(std::int64_t count, bool) { return 64 + count % 7; }

void Queue::sort(const SortCall& call) {
  if (failed()) return;
  put_into(static_cast<cudaStream_t>(stream_),
           [call] { return call.wide ? sort_pairs<std::uint64_t>(call) : sort_pairs<std::uint32_t>(call); });
}

void Queue::fence(void* at, std::int64_t bytes, bool fenced) {
  put_into(static_cast<cudaStream_t>(stream_), [=] { watch(at, static_cast<std::size_t>(bytes), fenced); });
}

void run_on_host(Queue& queue, std::int64_t items, const HostKernel& kernel) {
  const std::int64_t blocks = std::min((items - 1) / kThreads + 1, queue.most_blocks());
  const auto error = launch_into(static_cast<cudaStream_t>(queue.stream()), [=] {
    for_blocks(blocks, [&](std::int64_t block) {
      for (const std::int64_t thread : shuffled(kThreads, host_device().seed)) {
        kernel.run(kernel.kernel.get(), 0, Thread(block * kThreads + thread, blocks * kThreads), -1, nullptr);
      }
    });
  });
  queue.note("cudaLaunchKernelEx", error);
}

void run_tiles_on_host(Queue& queue, std::int64_t tiles, const HostKernel& kernel) {
  const std::int64_t blocks = std::min(tiles, queue.most_blocks());
  const auto error = launch_into(static_cast<cudaStream_t>(queue.stream()), [=] {
    for_blocks(blocks, [&](std::int64_t block) {
      std::vector<std::uint64_t> shared(kernel.shared_bytes / 8 + 1);
      std::memset(shared.data(), kNoise, shared.size() * 8);
      for (std::int64_t tile = block; tile < tiles; tile += blocks) {
        for (int phase = 0; phase < kernel.phases; ++phase) {
          for (const std::int64_t thread : shuffled(kThreads, host_device().seed)) {
            kernel.run(kernel.kernel.get(), phase, Thread(block * kThreads + thread, blocks * kThreads), tile,
                       shared.data());
          }
        }
      }
    });
  });
  queue.note("cudaLaunchKernelEx", error);
}

}  // namespace strew::cuda
