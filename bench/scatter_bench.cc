// The named workloads of ScatterElements, ScatterND and TensorScatter.
#include <numeric>

#include "workload.h"

namespace strew::bench {
namespace {

constexpr DType kFloat = DType::kFloat32;

// Rows of floats (or of anything, for plain assignment): out = data, then out[indices[i]] gets update i.
bool plain_rows(const Workload& w, void* output, std::int64_t extent, std::int64_t row) {
  std::memcpy(output, w.data.data(), static_cast<std::size_t>(w.data.size_bytes()));
  auto* out = static_cast<float*>(output);
  const auto* update = static_cast<const float*>(w.updates->data());
  const auto* index = static_cast<const std::int64_t*>(w.indices.data());
  const bool adds = w.plan.reduction() == Reduction::kAdd;
  for (std::int64_t i = 0; i < w.indices.element_count(); ++i, update += row) {
    std::int64_t at = index[i];
    if (at < -extent || at >= extent) return false;
    if (at < 0) at += extent;
    if (adds) {
      for (std::int64_t j = 0; j < row; ++j) out[at * row + j] += update[j];
    } else {
      std::memcpy(out + at * row, update, static_cast<std::size_t>(row) * sizeof(float));
    }
  }
  return true;
}

bool plain_elements(const Workload& w, void* output) {
  std::memcpy(output, w.data.data(), static_cast<std::size_t>(w.data.size_bytes()));
  auto* out = static_cast<float*>(output);
  const auto* update = static_cast<const float*>(w.updates->data());
  const auto* index = static_cast<const std::int64_t*>(w.indices.data());
  const Shape& shape = w.plan.position_shape();
  const bool last = w.plan.indexed_axes().front() == 1;
  const std::int64_t width = w.data.shape()[1];
  const std::int64_t extent = last ? width : w.data.shape()[0];
  const std::int64_t step = w.index_strides ? 0 : 1;
  for (std::int64_t i = 0; i < shape[0]; ++i, index += 1 - step) {
    for (std::int64_t j = 0; j < shape[1]; ++j, index += step) {
      std::int64_t at = *index;
      if (at < -extent || at >= extent) return false;
      if (at < 0) at += extent;
      float& place = last ? out[i * width + at] : out[at * width + j];
      place = last ? *update++ : place + *update++;
    }
  }
  return true;
}

Workload tuples(Tensor indices, std::int64_t extent, std::int64_t row, Reduction reduction) {
  const std::int64_t count = indices.element_count();
  Tensor as_tuples = Tensor::of<std::int64_t>(indices.values<std::int64_t>(), {count, 1}).value();
  Tensor data = random_data(kFloat, row == 1 ? Shape{extent} : Shape{extent, row}, 1);
  Tensor updates = random_data(kFloat, row == 1 ? Shape{count} : Shape{count, row}, 3);
  return {make_scatter_nd_plan(data, as_tuples, updates, {reduction}).value(), std::move(data),
          std::move(as_tuples), std::move(updates),
          [=](const Workload& w, void* output) { return plain_rows(w, output, extent, row); }};
}

Workload elements(Shape data_shape, Shape shape, std::int64_t axis, Reduction reduction, Tensor indices) {
  Tensor data = random_data(kFloat, data_shape, 1);
  Tensor updates = random_data(kFloat, shape, 3);
  const TensorSpec index_spec(indices.dtype(), shape);
  return {make_scatter_elements_plan(data, index_spec, updates, {axis, reduction}).value(), std::move(data),
          std::move(indices), std::move(updates), plain_elements};
}

constexpr std::int64_t kNodes = 556'416;
constexpr std::int64_t kEdges = 481'385;

// One index for each row, written out over its 80 columns or as a broadcast view.
Workload row_indices(bool broadcast) {
  Tensor one = uniform({kEdges}, kNodes, 2);
  if (broadcast) {
    Workload w = elements({kNodes, 80}, {kEdges, 80}, 0, Reduction::kAdd, std::move(one));
    w.index_strides = Shape{1, 0};
    return w;
  }
  const TensorView expanded(one.data(), DType::kInt64, {kEdges, 80}, {1, 0});
  return elements({kNodes, 80}, {kEdges, 80}, 0, Reduction::kAdd, Tensor::copy_of(expanded).value());
}

// 256 rows of 128 halves: one for each of 8 batch entries and 32 heads, at a place of its own.
Workload kv_cache(bool tensor_scatter) {
  const Shape cache{8, 32, 2048, 128};
  Tensor data = random_data(DType::kFloat16, cache, 1);
  if (tensor_scatter) {
    Tensor indices = uniform({8}, 2048, 2);
    Tensor updates = random_data(DType::kFloat16, {8, 32, 1, 128}, 3);
    return {make_tensor_scatter_plan(data, updates, TensorSpec(indices), {}).value(),
            std::move(data),
            std::move(indices),
            std::move(updates),
            {}};
  }
  Tensor indices = uniform({256, 3}, 2048, 2);
  auto* tuple = static_cast<std::int64_t*>(indices.mutable_data());
  for (std::int64_t i = 0; i < 256; ++i, tuple += 3) {
    tuple[0] = i / 32;
    tuple[1] = i % 32;
  }
  Tensor updates = random_data(DType::kFloat16, {256, 128}, 3);
  return {make_scatter_nd_plan(data, indices, updates).value(),
          std::move(data),
          std::move(indices),
          std::move(updates),
          {}};
}

}  // namespace

std::vector<Named> scatter_workloads() {
  constexpr auto kAdd = Reduction::kAdd;
  constexpr auto kNone = Reduction::kNone;
  constexpr std::int64_t kMi = 1 << 20;
  return {
      {"scatter_elements_add_issue",
       [] {
         return elements({kNodes, 80}, {kEdges, 80}, 0, kAdd, uniform({kEdges, 80}, kNodes, 2));
       }},
      {"scatter_elements_add_rowidx", [] { return row_indices(false); }},
      {"scatter_elements_add_rowview", [] { return row_indices(true); }},
      {"scatter_elements_none_last",
       [] {
         return elements({8192, 4096}, {8192, 1024}, 1, kNone, uniform({8192, 1024}, 4096, 2));
       }},
      {"scatter_elements_add_1d", [] { return tuples(uniform({4 * kMi}, 16 * kMi, 2), 16 * kMi, 1, kAdd); }},
      {"scatternd_add_uniform", [] { return tuples(uniform({8 * kMi}, 64 * kMi, 2), 64 * kMi, 1, kAdd); }},
      {"scatternd_none_uniform", [] { return tuples(uniform({8 * kMi}, 64 * kMi, 2), 64 * kMi, 1, kNone); }},
      {"scatternd_add_zipf", [] { return tuples(zipf(8 * kMi, 16 * kMi, 1.05, 2), 16 * kMi, 1, kAdd); }},
      {"scatternd_add_hot", [] { return tuples(uniform({8 * kMi}, 8, 2), kMi, 1, kAdd); }},
      {"scatternd_rows_add", [] { return tuples(uniform({kMi / 2}, kMi, 2), kMi, 64, kAdd); }},
      {"scatternd_rows_none_bev", [] { return tuples(unique(12'000, 214'272, 2), 214'272, 64, kNone); }},
      {"scatternd_kv_none", [] { return kv_cache(false); }},
      {"tensorscatter_kv", [] { return kv_cache(true); }},
  };
}

}  // namespace strew::bench
