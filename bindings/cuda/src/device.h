// Device functions that a call needs besides its stream. device.cc calls CUDA; tests/cuda/host_door.cc emulates
// it.
#pragma once

#include "strew/error.h"

namespace strew::cuda {

/// The number of the device that owns the memory; -1 for other memory.
int device_of(const void* memory) noexcept;

/// Selects a device for CUDA calls of this thread while it lives.
class OnDevice {
 public:
  explicit OnDevice(int device) noexcept;
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  /// Success, or CUDA's error if there is no such device.
  Status status() const;

 private:
  int before_ = 0;
  int error_ = 0;
};

/// Makes later work in `stream` wait for the present work in `before`.
Status follow(void* stream, void* before);

}  // namespace strew::cuda
