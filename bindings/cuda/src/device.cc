#include "device.h"

#include <cuda_runtime.h>

#include <string>
#include <utility>

#include "strew/experimental/cuda.h"

namespace strew::cuda {
namespace {

Status to_status(cudaError_t error) {
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // clears the error, which another library's next call would otherwise report
  if (Status missing = check_available(); !missing) {
    missing.error().details().subject.op = "strew.cuda";
    return missing;
  }
  const ErrorCode code = error == cudaErrorMemoryAllocation ? ErrorCode::kOutOfMemory : ErrorCode::kDevice;
  Error failure(code, std::string("CUDA error: ") + cudaGetErrorString(error));
  failure.details().subject.op = "strew.cuda";
  return tl::unexpected(std::move(failure));
}

}  // namespace

int device_of(const void* memory) noexcept {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) return -1;
  const bool device = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return device ? attributes.device : -1;
}

OnDevice::OnDevice(int device) noexcept {
  error_ = cudaGetDevice(&before_);
  if (error_ == cudaSuccess) error_ = cudaSetDevice(device);
}

OnDevice::~OnDevice() { cudaSetDevice(before_); }

Status OnDevice::status() const { return to_status(static_cast<cudaError_t>(error_)); }

Status follow(void* stream, void* before) {
  cudaEvent_t event = nullptr;
  cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  if (error != cudaSuccess) return to_status(error);
  error = cudaEventRecord(event, static_cast<cudaStream_t>(before));
  if (error == cudaSuccess) error = cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), event, 0);
  const cudaError_t destroyed = cudaEventDestroy(event);  // takes effect after the stream has passed the event
  return to_status(error == cudaSuccess ? destroyed : error);
}

}  // namespace strew::cuda
