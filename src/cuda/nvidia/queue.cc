// A CUDA stream.
#include "cuda/queue.h"

#include <cuda_runtime.h>

#include "core/error.h"
#include "cuda/device.h"
#include "cuda/nvidia/relaxed.h"
#include "strew/cuda.h"

namespace strew::cuda {
namespace {

cudaStream_t stream_of(const Queue& queue) { return static_cast<cudaStream_t>(queue.stream()); }

}  // namespace

bool available() noexcept {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

Queue::Queue(void* stream) : stream_(stream) {
  int device = 0;
  int processors = 1;
  int threads = kThreads;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  note("cudaGetDevice", cudaGetDevice(&device));
  if (failed()) return;
  note("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  note("cudaDeviceGetAttribute", cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  most_blocks_ = std::int64_t{processors} * (threads / kThreads);
  note("cudaStreamIsCapturing", cudaStreamIsCapturing(stream_of(*this), &status));
  captures_ = status != cudaStreamCaptureStatusNone;
}

void* Queue::allocate(std::int64_t bytes) {
  void* memory = nullptr;
  note("cudaMallocAsync", cudaMallocAsync(&memory, static_cast<std::size_t>(bytes), stream_of(*this)));
  return memory;
}

void Queue::release(void* memory) { note("cudaFreeAsync", cudaFreeAsync(memory, stream_of(*this))); }

void* Queue::allocate_kept(std::int64_t bytes) {
  void* memory = nullptr;
  note("cudaMalloc", cudaMalloc(&memory, static_cast<std::size_t>(bytes)));
  return memory;
}

void Queue::release_kept(void* memory) {
  const Relaxed relaxed;
  cudaFree(memory);
}

void Queue::clear(void* at, int byte, std::int64_t bytes) {
  if (failed()) return;
  note("cudaMemsetAsync", cudaMemsetAsync(at, byte, static_cast<std::size_t>(bytes), stream_of(*this)));
}

Status Queue::words_of(const Failure& failure, std::string_view op) {
  const auto error = static_cast<cudaError_t>(failure.error);
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // it is said here, and no later call of others should say it again
  const std::string_view words = cudaGetErrorString(error);
  const ErrorCode code = error == cudaErrorMemoryAllocation ? ErrorCode::kOutOfMemory
                         : error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver
                             ? ErrorCode::kUnsupported
                             : ErrorCode::kDevice;
  return fail(code, op, ": ", std::string_view(failure.call), " failed with ",
              std::string_view(cudaGetErrorName(error)), ": ", words);
}

}  // namespace strew::cuda
