// The queue of a CUDA stream.
#include "cuda/queue.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <string_view>

#include "core/error.h"
#include "cuda/device.h"
#include "cuda/nvidia/relaxed.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {
namespace {

cudaStream_t stream_of(const Queue& queue) { return static_cast<cudaStream_t>(queue.stream()); }

// The lowest compute capability of the compiled kernels, in CUDA's encoding: 800 is 8.0.
constexpr int kLowest = std::min({__CUDA_ARCH_LIST__});

struct Machine {
  cudaError_t error = cudaSuccess;
  int driver = 0;  ///< 12080 is CUDA 12.8; 0: no driver
  int devices = 0;
  int capability = 0;  ///< highest of all devices

  bool usable() const noexcept { return error == cudaSuccess && devices > 0 && capability >= kLowest; }
};

Machine look() noexcept {
  Machine here;
  cudaDriverGetVersion(&here.driver);
  here.error = cudaGetDeviceCount(&here.devices);
  if (here.error != cudaSuccess) {
    here.devices = 0;
    cudaGetLastError();  // clears the error, which another library's next call would report
  }
  for (int device = 0; device < here.devices; ++device) {
    int major = 0;
    int minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    here.capability = std::max(here.capability, 100 * major + 10 * minor);
  }
  return here;
}

}  // namespace

bool available() noexcept { return look().usable(); }

Status check_available() {
  const Machine here = look();
  if (here.usable()) return {};
  if (here.error == cudaSuccess || here.error == cudaErrorNoDevice) {
    if (here.devices == 0) {
      return fail(ErrorCode::kUnsupported,
                  "there is a CUDA driver, but no device that this process may see (CUDA_VISIBLE_DEVICES)");
    }
    return fail(ErrorCode::kUnsupported, "the newest device has compute capability ", here.capability / 100, '.',
                here.capability % 100 / 10, ", and the kernels were compiled for ", kLowest / 100, '.',
                kLowest % 100 / 10, " and newer");
  }
  if (here.error != cudaErrorInsufficientDriver) {
    return fail(ErrorCode::kDevice, "cudaGetDeviceCount failed with ",
                std::string_view(cudaGetErrorName(here.error)), ": ",
                std::string_view(cudaGetErrorString(here.error)));
  }
  constexpr int kMajor = CUDART_VERSION / 1000;
  if (here.driver == 0) {
    return fail(ErrorCode::kUnsupported, "there is no CUDA driver; one for CUDA ", kMajor, " or newer is needed");
  }
  return fail(ErrorCode::kUnsupported, "the driver is for CUDA ", here.driver / 1000, '.', here.driver % 1000 / 10,
              "; one for CUDA ", kMajor, " or newer is needed");
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

Status Queue::make_status(const Failure& failure, std::string_view op) {
  const auto error = static_cast<cudaError_t>(failure.error);
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // clears the error, which another library's next call would report
  const std::string_view words = cudaGetErrorString(error);
  const ErrorCode code = error == cudaErrorMemoryAllocation ? ErrorCode::kOutOfMemory
                         : error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ||
                                 error == cudaErrorNoKernelImageForDevice
                             ? ErrorCode::kUnsupported
                             : ErrorCode::kDevice;
  return fail(code, {op}, std::string_view(failure.call), " failed with ",
              std::string_view(cudaGetErrorName(error)), ": ", words);
}

}  // namespace strew::cuda
