// What a call needs of the machine besides its stream. device.cc asks CUDA; tests/cuda/host_door.cc plays it.
#pragma once

#include "strew/error.h"

namespace strew::cuda {

/// The number of the device that memory belongs to; -1 for any other memory.
int device_of(const void* memory) noexcept;

/// While it lives, what this thread asks of CUDA concerns this device.
class OnDevice {
 public:
  explicit OnDevice(int device) noexcept;
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  /// Success, or what CUDA says: there is no such device.
  Status status() const;

 private:
  int before_ = 0;
  int error_ = 0;
};

/// Work that is put into `stream` from now on begins after what is in `before` now.
Status follow(void* stream, void* before);

}  // namespace strew::cuda
