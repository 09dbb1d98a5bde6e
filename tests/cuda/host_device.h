// A device emulated on the host. Kernels run on one thread, in an order drawn from a seed, or on several threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strew::cuda {

struct HostDevice {
  std::uint64_t seed = 0;               ///< seed of the random order of blocks and threads; 0: ascending order
  std::int64_t most_blocks = 3;         ///< most blocks of a launch; few, so that each block loops
  bool real_threads = false;            ///< each block on a thread of its own, for ThreadSanitizer
  std::int64_t memory = INT64_MAX;      ///< bytes that can be allocated
  bool delays = false;                  ///< an event is complete only after a wait for it
  std::string fails = {};               ///< name of the runtime function whose next call fails
  int failure = 0;                      ///< error code that this call returns
  int driver = 13000;                   ///< version of the driver; 0: there is no driver, and no device
  int devices = 1;                      ///< number of devices
  int capability = 90;                  ///< compute capability of each device, times ten
  bool gap_touched = false;             ///< a kernel wrote into a gap between buffers
  std::vector<std::string> calls = {};  ///< names of the runtime functions called
};

/// Returns the device on which all queues run.
HostDevice& host_device();

}  // namespace strew::cuda
