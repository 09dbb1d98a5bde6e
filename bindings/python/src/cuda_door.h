// The functions of the package strew-cuda13 that the Python module loads at run time. Both sides must be built
// from the same headers; the loader compares their STREW_BUILT_FROM. The module does not link strew_cuda, so every
// function of strew/experimental/cuda.h that is not inline has an entry here.
#pragma once

#include <cstdint>
#include <string_view>
#include <version>

#include "strew/experimental/cuda.h"

// Identifies the headers and the C++ standard library, which must match: both sides exchange C++ objects.
#ifdef _LIBCPP_VERSION
#define STREW_BUILT_FROM STREW_FINGERPRINT " with libc++"
#else
#define STREW_BUILT_FROM STREW_FINGERPRINT " with libstdc++"
#endif

namespace strew::cuda {

struct Door {
  const char* built_from;  ///< STREW_BUILT_FROM of the library
  Status (*check_available)();
  /// Returns the number of the device that owns the memory; -1 for host or unknown memory.
  int (*device_of)(const void* memory) noexcept;
  /// Makes later work in `stream` wait for the work enqueued so far in the stream `before`.
  Status (*follow)(int device, void* stream, void* before);
  Result<Explanation> (*explain)(int device, const Plan&, const Operands&, const MutableDeviceView&,
                                 const DeviceOptions&);
  Status (*run)(int device, const Plan&, const Operands&, const MutableDeviceView&, const DeviceOptions&);
  Result<Ticket> (*enqueue)(int device, const Plan&, const Operands&, const MutableDeviceView&,
                            const DeviceOptions&);
  Result<CheckedIndices> (*check_indices)(int device, const Plan&, const DeviceView& indices,
                                          const DeviceOptions&);
  std::int64_t (*device_bytes)(const CheckedIndices&);
  bool (*captured)(const Ticket&);
  bool (*ready)(const Ticket&);
  Status (*wait)(const Ticket&);
  std::string_view (*device_strategy_name)(DeviceStrategy) noexcept;
};

/// The name of the only function that the library exports.
inline constexpr char kDoorName[] = "strew_cuda_door";
using OpenDoor = const Door* (*)() noexcept;

}  // namespace strew::cuda
