// Emulates CUDA's runtime: a stream runs its work at once, a graph is a list of work, and all calls are recorded.
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <utility>

#include "cuda/device.h"
#include "cuda/host_device.h"

using strew::cuda::host_device;
using strew::cuda::put_into;

struct HostGraph {
  std::vector<std::function<void()>> work;
  std::vector<std::unique_ptr<void, void (*)(void*)>> memory;
};
struct HostStream {
  std::unique_ptr<HostGraph> capture;
  bool broken = false;
};
struct HostEvent {
  bool reached = true;
  bool captured = false;
};

namespace {

constexpr int kNoise = 0xA5;
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;
HostStream* strict = nullptr;  // the stream with a capture that is not in relaxed mode
HostStream default_stream;
std::set<HostStream*> streams;
// Memory and events that the library never frees. The references prevent reports of leaks.
auto& pinned = *new std::vector<void*>;
auto& events = *new std::vector<HostEvent*>;

// Returns the emulated stream. A stream that was not created here, such as a mere number, is the default stream.
HostStream* own(cudaStream_t stream) { return streams.contains(stream) ? stream : &default_stream; }

// Records a call. Returns an error if a test makes this call fail, or if a capture forbids it.
cudaError_t called(const char* name, bool forbidden_in_capture = false) {
  auto& device = host_device();
  device.calls.emplace_back(name);
  if (device.fails == name) {
    device.fails.clear();
    return static_cast<cudaError_t>(device.failure);
  }
  if (forbidden_in_capture && strict != nullptr && thread_mode != cudaStreamCaptureModeRelaxed) {
    strict->broken = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return cudaSuccess;
}

void* new_memory(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(host_device().memory)) return nullptr;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory != nullptr) std::memset(memory, kNoise, bytes);
  return memory;
}

cudaError_t give(void** memory, void* at) {
  *memory = at;
  return at == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

}  // namespace

void strew::cuda::put_into(cudaStream_t stream, std::function<void()> work) {
  HostStream* const at = own(stream);
  if (at->capture == nullptr) return work();
  at->capture->work.push_back(std::move(work));
}

cudaError_t strew::cuda::launch_into(cudaStream_t stream, std::function<void()> work) {
  if (const auto error = called("cudaLaunchKernelEx")) return error;
  put_into(stream, std::move(work));
  return cudaSuccess;
}

const char* cudaGetErrorName(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation) return "cudaErrorMemoryAllocation";
  if (error == cudaErrorLaunchFailure) return "cudaErrorLaunchFailure";
  if (error == cudaErrorNoKernelImageForDevice) return "cudaErrorNoKernelImageForDevice";
  if (error == cudaErrorStreamCaptureUnsupported) return "cudaErrorStreamCaptureUnsupported";
  return "cudaErrorUnknown";
}
const char* cudaGetErrorString(cudaError_t error) {
  if (error == cudaErrorLaunchFailure) return "unspecified launch failure";
  if (error == cudaErrorNoKernelImageForDevice) return "no kernel image is available for execution on the device";
  return "emulated error";
}
cudaError_t cudaGetLastError() { return called("cudaGetLastError"); }

cudaError_t cudaDriverGetVersion(int* version) {
  *version = host_device().driver;
  return called("cudaDriverGetVersion");
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = host_device().devices;
  if (const auto error = called("cudaGetDeviceCount")) return error;
  if (host_device().driver < CUDART_VERSION / 1000 * 1000) return cudaErrorInsufficientDriver;
  return *count == 0 ? cudaErrorNoDevice : cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return called("cudaGetDevice");
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (attribute == cudaDevAttrMultiProcessorCount) *value = static_cast<int>(host_device().most_blocks);
  if (attribute == cudaDevAttrMaxThreadsPerMultiProcessor) *value = strew::cuda::kThreads;
  if (attribute == cudaDevAttrComputeCapabilityMajor) *value = host_device().capability / 10;
  if (attribute == cudaDevAttrComputeCapabilityMinor) *value = host_device().capability % 10;
  return called("cudaDeviceGetAttribute");
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (const auto error = called("cudaMalloc", true)) return error;
  return give(memory, new_memory(bytes));
}
cudaError_t cudaFree(void* memory) {
  if (const auto error = called("cudaFree", true)) return error;
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  if (const auto error = called("cudaHostAlloc", true)) return error;
  return give(memory, pinned.emplace_back(std::malloc(bytes)));
}

// Memory from a capture belongs to the graph: each launch fills it with noise, and the graph frees it.
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  if (const auto error = called("cudaMallocAsync")) return error;
  void* const at = new_memory(bytes);
  if (at != nullptr && own(stream)->capture != nullptr) {
    own(stream)->capture->memory.emplace_back(at, std::free);
    put_into(stream, [at, bytes] { std::memset(at, kNoise, bytes); });
  }
  return give(memory, at);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  if (const auto error = called("cudaFreeAsync")) return error;
  if (own(stream)->capture == nullptr) std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* at, int byte, std::size_t bytes, cudaStream_t stream) {
  if (const auto error = called("cudaMemsetAsync")) return error;
  put_into(stream, [=] { std::memset(at, byte, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return called("cudaMemcpy", true);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  if (const auto error = called("cudaMemcpyAsync")) return error;
  put_into(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  if (const auto error = called("cudaEventCreateWithFlags", true)) return error;
  *event = events.emplace_back(new HostEvent);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const auto error = called("cudaEventRecord")) return error;
  event->captured = own(stream)->capture != nullptr;
  event->reached = !host_device().delays;
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const auto error = called("cudaEventQuery", true)) return error;
  if (event->captured) return cudaErrorCapturedEvent;
  return event->reached || !host_device().delays ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const auto error = called("cudaEventSynchronize", true)) return error;
  if (event->captured) return cudaErrorCapturedEvent;
  event->reached = true;
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, thread_mode);
  return called("cudaThreadExchangeStreamCaptureMode");
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = own(stream)->capture != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return called("cudaStreamIsCapturing");
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = *streams.insert(new HostStream).first;
  return called("cudaStreamCreate");
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  streams.erase(stream);
  delete stream;
  return called("cudaStreamDestroy");
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return called("cudaStreamSynchronize"); }
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (const auto error = called("cudaStreamBeginCapture")) return error;
  stream->capture = std::make_unique<HostGraph>();
  stream->broken = false;
  if (mode != cudaStreamCaptureModeRelaxed) strict = stream;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (const auto error = called("cudaStreamEndCapture")) return error;
  strict = nullptr;
  *graph = stream->capture.release();
  return stream->broken ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = graph;
  return called("cudaGraphInstantiate");
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return called("cudaGraphExecDestroy"); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t) {
  if (const auto error = called("cudaGraphLaunch")) return error;
  for (const auto& work : graph->work) work();
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return called("cudaGraphDestroy");
}
