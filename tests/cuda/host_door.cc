// Emulated devices for tests in Python. All memory counts as memory of the current device. A stream is a number.
// The order between streams is recorded.
#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "core/error.h"
#include "cuda/host_device.h"
#include "device.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {
namespace {

constexpr int kDevices = 2;

struct Followed {
  std::uintptr_t stream;
  std::uintptr_t before;
};

thread_local int current_device = 0;
std::vector<Followed> followed;

}  // namespace

int device_of(const void* memory) noexcept {
  const bool nowhere = reinterpret_cast<std::uintptr_t>(memory) < 4096;
  return nowhere || !available() ? -1 : current_device;
}

OnDevice::OnDevice(int device) noexcept : before_(current_device), error_(device < kDevices ? 0 : 1) {
  current_device = device;
}
OnDevice::~OnDevice() { current_device = before_; }
Status OnDevice::status() const {
  if (error_ == 0) return {};
  return fail(ErrorCode::kDevice, "strew.cuda: there are ", kDevices, " devices");
}

Status follow(void* stream, void* before) {
  followed.push_back({reinterpret_cast<std::uintptr_t>(stream), reinterpret_cast<std::uintptr_t>(before)});
  return {};
}

}  // namespace strew::cuda

using strew::cuda::host_device;

#define STREW_SHOWN extern "C" __attribute__((visibility("default")))

/// Resets the emulated device; HostDevice describes the parameters.
STREW_SHOWN void strew_host_play(std::uint64_t seed, std::int64_t most_blocks, std::int64_t memory, int delays) {
  host_device() = {.seed = seed, .most_blocks = most_blocks, .memory = memory, .delays = delays != 0};
}

/// Sets what CUDA reports about the machine until the next strew_host_play.
STREW_SHOWN void strew_host_machine(int driver, int devices, int capability) {
  host_device().driver = driver;
  host_device().devices = devices;
  host_device().capability = capability;
}

/// Lets the next call of this runtime function return `error`.
STREW_SHOWN void strew_host_fail(const char* call, int error) {
  host_device().fails = call;
  host_device().failure = error;
}

/// Creates a stream and begins a capture on it.
STREW_SHOWN void* strew_host_capture() {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  return stream;
}

/// Ends the capture and returns its graph; null if a call during the capture was forbidden.
STREW_SHOWN void* strew_host_graph(void* stream) {
  cudaGraph_t graph = nullptr;
  const cudaError_t error = cudaStreamEndCapture(static_cast<cudaStream_t>(stream), &graph);
  return error == cudaSuccess ? graph : nullptr;
}

STREW_SHOWN void strew_host_launch(void* graph) { cudaGraphLaunch(static_cast<cudaGraph_t>(graph), nullptr); }

/// Writes up to `most` pairs of streams (the first waits for the second), clears the record, and returns its size.
STREW_SHOWN int strew_host_followed(std::uintptr_t* pairs, int most) {
  int count = 0;
  for (const auto& [stream, before] : strew::cuda::followed) {
    if (count < most) pairs[2 * count] = stream, pairs[2 * count + 1] = before;
    ++count;
  }
  strew::cuda::followed.clear();
  return count;
}
