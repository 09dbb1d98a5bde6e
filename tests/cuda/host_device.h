// The host in the destination of a device: kernels run in an order that a seed draws, on one thread or on several.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strew::cuda {

struct HostDevice {
  std::uint64_t seed = 0;               ///< 0: blocks and threads in order
  std::int64_t most_blocks = 3;         ///< few, so that kernels go round
  bool real_threads = false;            ///< each block on a thread of its own, for ThreadSanitizer
  std::int64_t memory = INT64_MAX;      ///< bytes that there are to allocate
  bool delays = false;                  ///< an event is not reached before somebody waits for it
  std::string fails = {};               ///< the call of the runtime that fails, once
  int failure = 0;                      ///< how
  int driver = 13000;                   ///< CUDA's version of it; 0: there is none, and nothing else
  int devices = 1;                      ///< that CUDA counts
  int capability = 90;                  ///< ten times that of each
  bool gap_touched = false;             ///< a kernel wrote between buffers of memory
  std::vector<std::string> calls = {};  ///< of the runtime
};

/// The one that queues run on.
HostDevice& host_device();

}  // namespace strew::cuda
