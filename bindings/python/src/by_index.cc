// Computes small sums and softmaxes by index for strew.torch_scatter, each in one call from Python.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "call.h"
#include "operand.h"
#include "strew/executor.h"
#include "strew/run.h"

namespace strew::python {
namespace {

bool is_dense_list(const Operand& index) {
  return !index.on_device() && index.buffer.view.dense() && index.buffer.view.rank() == 1;
}

// Returns a new tensor of `size` rows: row i is the sum of the rows of src whose index is i. Returns None unless
// the call is small and legal.
nb::object sum_rows(const char* op, nb::handle given_src, nb::handle given_index, std::int64_t size) {
  OperandReader operands(op);
  const Operand& src = operands.read("src", given_src, Role::kRead);
  const Operand& index = operands.read("index", given_index, Role::kIndices);
  const Unchanged all = operands.all_unchanged();
  const TensorView& rows = src.view(all);
  Shape shape = rows.shape();
  if (src.on_device() || !is_dense_list(index) || shape.empty() || is_long(element_count(shape)) ||
      is_long(size)) {
    return nb::none();
  }
  shape[0] = size;
  const std::int64_t count = element_count(shape);
  if (is_long(count)) return nb::none();
  CallParams params{.op = OpKind::kScatterND, .reduction = Reduction::kAdd};
  params.rules.negative_indices = NegativeIndices::kOutOfBounds;
  const bool is_half = src.dtype == DType::kFloat16 || src.dtype == DType::kBFloat16;
  if (is_half) params.acc_dtype = AccDType::kFloat32;
  const TensorView places(index.view(all).data(), index.dtype, Shape{index.shape()[0], 1});
  const Result<Plan> plan = make_plan(params, TensorSpec(src.dtype, shape), TensorSpec(places), TensorSpec(rows));
  if (!plan) return nb::none();
  const Output output = Output::make(op, src, shape);
  std::memset(output.view().data(), 0, static_cast<std::size_t>(count * bit_width(src.dtype) / 8));
  const Options options{.executor = &calling_thread};
  const bool done = run(*plan, {output.view(), places, rows}, output.view(), options).has_value();
  return done ? nb::borrow(output.array()) : nb::none();
}

// The shape [outer, count, inner] of a tensor whose middle axis is indexed. Indices are less than `size`.
struct Axes {
  std::int64_t outer, count, inner, size;
};

template <class T>
void compute_softmax(const T* src, const std::int64_t* index, const Axes& axes, T eps, bool is_log, T* result) {
  const std::int64_t inner = axes.inner;
  std::vector<T> largest(static_cast<std::size_t>(axes.size * inner)), totals(largest.size());
  const auto for_each = [&](const auto& work) {
    for (std::int64_t i = 0; i < axes.count; ++i) {
      for (std::int64_t j = 0; j < inner; ++j) {
        const auto place = static_cast<std::size_t>(index[i] * inner + j);
        work(src[i * inner + j], result[i * inner + j], largest[place], totals[place]);
      }
    }
  };
  for (std::int64_t o = 0; o < axes.outer; ++o, src += axes.count * inner, result += axes.count * inner) {
    constexpr T kLowest = -std::numeric_limits<T>::infinity();
    std::ranges::fill(largest, kLowest);
    std::ranges::fill(totals, T{0});
    for_each([](T value, T&, T& most, T&) { most = value > most || std::isnan(value) ? value : most; });
    std::ranges::replace(largest, kLowest, T{0});
    for_each([&](T value, T& term, T& most, T& total) {
      const T power = std::exp(value - most);
      term = is_log ? value - most : power;
      total += power;
    });
    for_each([&](T, T& term, T&, T& total) { term = is_log ? term - std::log(total + eps) : term / total; });
  }
}

// Returns the softmax, or its logarithm, over elements with the same index along an axis. Returns None unless the
// call is small and legal, the operands are dense and the index has one axis.
nb::object softmax(const char* op, nb::handle given_src, nb::handle given_index, std::int64_t axis,
                   std::int64_t size, double eps, bool is_log) {
  OperandReader operands(op);
  const Operand& src = operands.read("src", given_src, Role::kRead);
  const Operand& index = operands.read("index", given_index, Role::kIndices);
  const Unchanged all = operands.all_unchanged();
  const Shape& shape = src.buffer.view.shape();
  Axes axes{1, shape[axis], 1, size};
  for (std::int64_t d = 0; d < axis; ++d) axes.outer *= shape[d];
  for (std::int64_t d = axis + 1; d < shape.rank(); ++d) axes.inner *= shape[d];
  const bool is_small = !is_long(element_count(shape)) && !is_long(size) && !is_long(size * axes.inner);
  if (!is_small || src.on_device() || !src.buffer.view.dense() || !is_dense_list(index) ||
      index.dtype != DType::kInt64 || index.shape()[0] != axes.count) {
    return nb::none();
  }
  const auto* const places = static_cast<const std::int64_t*>(index.view(all).data());
  const auto is_place = [&](std::int64_t place) { return place >= 0 && place < size; };
  if (!std::all_of(places, places + axes.count, is_place)) return nb::none();
  const auto compute = [&]<class T>(T epsilon) {
    const Output output = Output::make(op, src, shape);
    compute_softmax(static_cast<const T*>(src.view(all).data()), places, axes, epsilon, is_log,
                    static_cast<T*>(output.view().data()));
    return nb::borrow(output.array());
  };
  if (src.dtype == DType::kFloat32) return compute(static_cast<float>(eps));
  return src.dtype == DType::kFloat64 ? compute(eps) : nb::none();
}

}  // namespace

void add_small_functions(nb::module_& module) {
  module.def("_sum_rows", &sum_rows, "op"_a, "src"_a, "index"_a, "size"_a);
  module.def("_softmax", &softmax, "op"_a, "src"_a, "index"_a, "axis"_a, "size"_a, "eps"_a, "is_log"_a);
}

}  // namespace strew::python
