// Links all of strew_cuda. Without a device, a call is rejected with CUDA's message; with a device, the call adds.
#include <strew/experimental/cuda.h>

#include <cstdio>

int main() {
  using enum strew::DType;
  const auto plan = strew::make_scatter_nd_plan({kFloat32, {4}}, {kInt64, {3, 1}}, {kFloat32, {3}},
                                                {.reduction = strew::Reduction::kAdd});
  float memory[64] = {};
  strew::cuda::Operands operands{{memory, kFloat32, {4}}};
  operands.indices.emplace(memory + 16, kInt64, strew::Shape{3, 1});
  operands.updates.emplace(memory + 32, kFloat32, strew::Shape{3});
  if (strew::cuda::available()) {
    const auto explained = strew::cuda::explain(*plan, operands, {memory, kFloat32, {4}});
    std::printf("device: %s\n", explained ? "ready" : explained.error().message().c_str());
    return explained ? 0 : 1;
  }
  const strew::Status status = strew::cuda::run(*plan, operands, {memory, kFloat32, {4}});
  std::printf("no device: %s\n", status ? "nothing was refused" : status.error().message().c_str());
  return !status && status.error().code == strew::ErrorCode::kUnsupported ? 0 : 1;
}
