// Functions that tests replace on the host (tests/cuda/host_device.cc): a stable sort with CUB, which only this
// file includes, and the fence between buffers.
#include <cub/device/device_radix_sort.cuh>

#include "cuda/queue.h"

namespace strew::cuda {
namespace {

constexpr const char* kSort = "cub::DeviceRadixSort::SortPairs";

template <class Number>
cudaError_t sort_pairs(void* scratch, std::size_t& bytes, const SortCall& call, cudaStream_t stream) {
  return cub::DeviceRadixSort::SortPairs(
      scratch, bytes, static_cast<const Number*>(call.key), static_cast<Number*>(call.sorted_key),
      static_cast<const Number*>(call.position), static_cast<Number*>(call.sorted_position), call.count, 0,
      call.bits, stream);
}

}  // namespace

std::int64_t Queue::sort_bytes(std::int64_t count, bool wide) {
  SortCall call{};
  call.count = count;
  call.bits = wide ? 64 : 32;
  std::size_t bytes = 0;
  note(kSort, wide ? sort_pairs<std::uint64_t>(nullptr, bytes, call, nullptr)
                   : sort_pairs<std::uint32_t>(nullptr, bytes, call, nullptr));
  return static_cast<std::int64_t>(bytes);
}

void Queue::sort(const SortCall& call) {
  if (failed()) return;
  auto bytes = static_cast<std::size_t>(call.scratch_bytes);
  auto* const stream = static_cast<cudaStream_t>(stream_);
  note(kSort, call.wide ? sort_pairs<std::uint64_t>(call.scratch, bytes, call, stream)
                        : sort_pairs<std::uint32_t>(call.scratch, bytes, call, stream));
}

// Does nothing on a device: compute-sanitizer checks only whole allocations.
void Queue::fence(void*, std::int64_t, bool) {}

}  // namespace strew::cuda
