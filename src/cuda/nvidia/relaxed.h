// Allows calls that CUDA forbids while another thread captures a graph.
#pragma once

#include <cuda_runtime.h>

namespace strew::cuda {

/// During the lifetime of an object, this thread may allocate, free and query events without ending a capture.
/// These calls are not captured and must not depend on captured work.
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
