// Adds rows to a table in device memory with one plan. The first call checks its indices, the second uses
// checked indices.
#include <cuda_runtime.h>
#include <strew/experimental/cuda.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

struct Release {
  void operator()(void* memory) const { cudaFree(memory); }
};

// Returns a copy in device memory, or null if CUDA fails.
template <class T>
std::unique_ptr<T, Release> on_device(const std::vector<T>& values) {
  void* memory = nullptr;
  const std::size_t bytes = values.size() * sizeof(T);
  if (cudaMalloc(&memory, bytes) != cudaSuccess) return nullptr;
  std::unique_ptr<T, Release> copy(static_cast<T*>(memory));
  if (cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess) return nullptr;
  return copy;
}

int refused(const strew::Error& error) {
  std::printf("%s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main() {
  constexpr std::int64_t rows = 4;
  constexpr std::int64_t count = 3;
  if (const strew::Status here = strew::cuda::check_available(); !here) return refused(here.error());
  const auto table = on_device(std::vector<float>(rows * 2, 1));
  const auto places = on_device(std::vector<std::int64_t>{3, 0, 3});
  const auto values = on_device(std::vector<float>{1, 2, 10, 20, 100, 200});
  cudaStream_t stream = nullptr;
  if (!table || !places || !values || cudaStreamCreate(&stream) != cudaSuccess) return 1;
  float* const data = table.get();
  const std::int64_t* const indices = places.get();
  const float* const updates = values.get();

  using enum strew::DType;
  const auto plan = strew::make_scatter_nd_plan({kFloat32, {rows, 2}}, {kInt64, {count, 1}},
                                                {kFloat32, {count, 2}}, {.reduction = strew::Reduction::kAdd});
  if (!plan) return refused(plan.error());
  strew::cuda::Operands operands{{data, kFloat32, {rows, 2}}};
  operands.indices.emplace(indices, kInt64, strew::Shape{count, 1});
  operands.updates.emplace(updates, kFloat32, strew::Shape{count, 2});
  const strew::cuda::MutableDeviceView output(data, kFloat32, {rows, 2});  // in place
  strew::cuda::DeviceOptions options;
  options.stream = stream;
  const strew::Status done = strew::cuda::run(*plan, operands, output, options);
  if (!done) return refused(done.error());

  const auto kept = strew::cuda::check_indices(*plan, *operands.indices, options);
  if (!kept) return refused(kept.error());
  options.checked_indices = &*kept;  // for all later calls
  const strew::Status again = strew::cuda::run(*plan, operands, output, options);
  if (!again) return refused(again.error());

  std::vector<float> sums(rows * 2);
  if (cudaMemcpy(sums.data(), data, sizeof(float) * rows * 2, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (const float sum : sums) std::printf("%g ", sum);
  std::printf("\n");
  cudaStreamDestroy(stream);
}
