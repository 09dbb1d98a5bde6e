// Calls that CUDA forbids while any thread captures a graph, unless the calling thread says that it knows.
#pragma once

#include <cuda_runtime.h>

namespace strew::cuda {

/// While it lives this thread may allocate, free and ask for events without ending a capture. What it does so is
/// not captured, and must not depend on work that is.
class Relaxed {
 public:
  Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace strew::cuda
