// What the library of the package strew-cuda13 offers to the Python module, which finds it at run time.
//
// Both sides are built from the same headers, and say so: no other pair is put together. The module links nothing
// of strew_cuda, so whatever is not inline in strew/experimental/cuda.h is a function here.
#pragma once

#include <cstdint>
#include <string_view>
#include <version>

#include "strew/experimental/cuda.h"

// What both sides must have in common: the headers, and the C++ library whose objects they hand over.
#ifdef _LIBCPP_VERSION
#define STREW_BUILT_FROM STREW_FINGERPRINT " with libc++"
#else
#define STREW_BUILT_FROM STREW_FINGERPRINT " with libstdc++"
#endif

namespace strew::cuda {

struct Door {
  const char* built_from;  ///< STREW_BUILT_FROM of the library
  Status (*check_available)();
  /// The number of the device that memory belongs to; -1 for memory of the host, or of nobody.
  int (*device_of)(const void* memory) noexcept;
  /// Work that is put into `stream` from now on begins after what is in `before` now.
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

/// The one function that the library shows, by this name.
inline constexpr char kDoorName[] = "strew_cuda_door";
using OpenDoor = const Door* (*)() noexcept;

}  // namespace strew::cuda
