// The named workloads of Gather, GatherElements and GatherND.
#include "workload.h"

namespace strew::bench {
namespace {

constexpr DType kFloat = DType::kFloat32;

// out[i] = data[indices[i]], rows of `row` bytes, for each of `batch` entries.
template <class Index>
bool plain_rows(const Workload& w, void* output, std::int64_t batch, std::int64_t extent, std::int64_t row) {
  auto* out = static_cast<std::byte*>(output);
  const auto* data = static_cast<const std::byte*>(w.data.data());
  const auto* index = static_cast<const Index*>(w.indices.data());
  const std::int64_t count = w.indices.element_count() / batch;
  for (std::int64_t b = 0; b < batch; ++b, data += extent * row) {
    for (std::int64_t i = 0; i < count; ++i, out += row) {
      std::int64_t at = *index++;
      if (at < -extent || at >= extent) return false;
      if (at < 0) at += extent;
      std::memcpy(out, data + at * row, static_cast<std::size_t>(row));
    }
  }
  return true;
}

bool plain_elements(const Workload& w, void* output, bool last_axis) {
  auto* out = static_cast<float*>(output);
  const auto* data = static_cast<const float*>(w.data.data());
  const auto* index = static_cast<const std::int64_t*>(w.indices.data());
  const std::int64_t width = w.data.shape()[1];
  const std::int64_t extent = last_axis ? width : w.data.shape()[0];
  for (std::int64_t i = 0; i < w.indices.shape()[0]; ++i) {
    for (std::int64_t j = 0; j < w.indices.shape()[1]; ++j) {
      std::int64_t at = *index++;
      if (at < -extent || at >= extent) return false;
      if (at < 0) at += extent;
      *out++ = last_axis ? data[i * width + at] : data[at * width + j];
    }
  }
  return true;
}

bool plain_pairs(const Workload& w, void* output) {
  auto* out = static_cast<float*>(output);
  const auto* data = static_cast<const float*>(w.data.data());
  const auto* index = static_cast<const std::int64_t*>(w.indices.data());
  const std::int64_t rows = w.data.shape()[0];
  const std::int64_t columns = w.data.shape()[1];
  for (std::int64_t i = 0; i < w.indices.shape()[0]; ++i) {
    std::int64_t r = *index++;
    std::int64_t c = *index++;
    if (r < -rows || r >= rows || c < -columns || c >= columns) return false;
    if (r < 0) r += rows;
    if (c < 0) c += columns;
    *out++ = data[r * columns + c];
  }
  return true;
}

Named rows(const char* name, std::int64_t extent, std::int64_t row, std::int64_t count) {
  return {name, [=] {
            Tensor data = random_data(kFloat, {extent, row}, 1);
            Tensor indices = uniform({count}, extent, 2);
            return Workload{make_gather_plan(data, indices).value(), std::move(data), std::move(indices),
                            std::nullopt, [=](const Workload& w, void* output) {
                              return plain_rows<std::int64_t>(w, output, 1, extent, row * 4);
                            }};
          }};
}

Workload table_of_32() {
  Tensor data = random_data(kFloat, {32}, 1);
  Tensor indices = uniform({16'777'216}, 32, 2, DType::kInt32);
  return {make_gather_plan(data, indices).value(), std::move(data), std::move(indices), std::nullopt,
          [](const Workload& w, void* output) { return plain_rows<std::int32_t>(w, output, 1, 32, 4); }};
}

Workload elements(const Shape& data_shape, const Shape& index_shape, std::int64_t axis) {
  Tensor data = random_data(kFloat, data_shape, 1);
  Tensor indices = uniform(index_shape, data_shape[axis], 2);
  return {make_gather_elements_plan(data, indices, {axis}).value(), std::move(data), std::move(indices),
          std::nullopt, [axis](const Workload& w, void* output) { return plain_elements(w, output, axis == 1); }};
}

Workload pairs() {
  Tensor data = random_data(kFloat, {8192, 8192}, 1);
  Tensor indices = uniform({4'194'304, 2}, 8192, 2);
  return {make_gather_nd_plan(data, indices).value(), std::move(data), std::move(indices), std::nullopt,
          plain_pairs};
}

Workload batches() {
  Tensor data = random_data(kFloat, {64, 4096, 64}, 1);
  Tensor indices = uniform({64, 2048, 1}, 4096, 2);
  return {make_gather_nd_plan(data, indices, {1}).value(), std::move(data), std::move(indices), std::nullopt,
          [](const Workload& w, void* output) { return plain_rows<std::int64_t>(w, output, 64, 4096, 256); }};
}

}  // namespace

std::vector<Named> gather_workloads() {
  return {rows("gather_rows_256B", 1'048'576, 64, 524'288),
          rows("gather_rows_64B", 16'777'216, 16, 2'097'152),
          rows("gather_rows_4KiB", 131'072, 1024, 16'384),
          {"gather_lut32", table_of_32},
          {"gather_elements_issue",
           [] {
             return elements({556'416, 80}, {481'385, 80}, 0);
           }},
          {"gather_elements_last",
           [] {
             return elements({8192, 4096}, {8192, 1024}, 1);
           }},
          {"gathernd_elements", pairs},
          {"gathernd_batch1", batches}};
}

}  // namespace strew::bench
