// The host in the place of a device: kernels run in an order that a seed draws, on one thread or on several.
#pragma once

#include <cstdint>

namespace strew::cuda {

struct HostDevice {
  std::uint64_t seed = 0;           ///< 0: blocks and threads in order
  std::int64_t most_blocks = 3;     ///< few, so that kernels go round
  bool real_threads = false;        ///< each block on a thread of its own, for ThreadSanitizer
  std::int64_t memory = INT64_MAX;  ///< bytes that there are to allocate
  bool delays = false;              ///< a receipt is not ready before somebody waits for it
};

/// The one that queues run on.
HostDevice& host_device();

}  // namespace strew::cuda
