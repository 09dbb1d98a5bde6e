// Finds the device of memory, selects devices and synchronizes streams. tests/cuda/host_door.cc has an emulation.
#pragma once

#include "strew/error.h"

namespace strew::cuda {

/// Returns the number of the device that owns the memory; -1 if no device does.
int device_of(const void* memory) noexcept;

/// Selects a device for this thread's CUDA calls while the object exists.
class OnDevice {
 public:
  explicit OnDevice(int device) noexcept;
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  /// Returns success, or CUDA's error if the device could not be selected.
  Status status() const;

 private:
  int before_ = 0;
  int error_ = 0;
};

/// Makes later work in `stream` wait for the work enqueued in `before` so far.
Status follow(void* stream, void* before);

}  // namespace strew::cuda
