// The operators that strew/torch/_compile_pass.py inserts into the graphs of compiled programs. Each operator
// counts its calls for each line of a program that it replaces.
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "calls.h"
#include "operators.h"
#include "strew/edges.h"
#include "strew/gather_scatter.h"
#include "tensors.h"

namespace strew::aten {
namespace {

using std::int64_t;
using std::string_view;
using MaybeTensor = std::optional<Tensor>;

template <class Value>
void check(const Value& result) {
  if (result) return;
  const Error& error = result.error();
  if (error.code == ErrorCode::kIndexOutOfRange) C10_THROW_ERROR(IndexError, error.message());
  if (error.code == ErrorCode::kOutOfMemory) C10_THROW_ERROR(OutOfMemoryError, error.message());
  C10_THROW_ERROR(ValueError, error.message());
}

TensorView operand(const Tensor& tensor) {
  if (readable(tensor) != Outcome::kTaken)
    C10_THROW_ERROR(ValueError, "operands must be strided CPU tensors of a supported type and rank 1 or more");
  return view(tensor);
}

std::optional<TensorView> operand(const MaybeTensor& tensor) {
  return tensor ? std::optional(operand(*tensor)) : std::nullopt;
}

/// Edges in the memory of a tensor, so that compiled code keeps and frees them like any other result.
struct SortedEdges {
  alignas(64) std::uint8_t byte = 0;  // the tensor's only element
  Edges edges;

  static void release(void* edges) { delete static_cast<SortedEdges*>(edges); }
};

Edges make_sorted(const Tensor& gather_index, const Tensor& scatter_index, int64_t source_size,
                  int64_t target_size) {
  auto edges = make_edges(operand(gather_index), operand(scatter_index), source_size, target_size, {},
                          options_for(gather_index.numel()));
  check(edges);
  return *std::move(edges);
}

Tensor sort_edges(const Tensor& gather_index, const Tensor& scatter_index, int64_t source_size,
                  int64_t target_size) {
  auto sorted = std::make_unique<SortedEdges>(
      SortedEdges{.edges = make_sorted(gather_index, scatter_index, source_size, target_size)});
  auto* const byte = &sorted->byte;
  return at::for_blob(byte, {1}).context(sorted.release(), SortedEdges::release).options(at::kByte).make_tensor();
}

/// The edges of one call: two indices and, in `sorted`, the same edges sorted. If a saved-tensor hook copied
/// `sorted`, the copy has no edges, and the call uses the two indices.
struct Along {
  const Tensor& gather_index;
  const Tensor& scatter_index;
  const MaybeTensor& sorted;

  std::optional<Edges> found(int64_t source_size, int64_t target_size) const {
    if (!sorted) return std::nullopt;
    const auto* const held = sorted->storage().data_ptr().cast_context<SortedEdges>(SortedEdges::release);
    if (held == nullptr) return std::nullopt;
    const Edges& edges = held->edges;
    const bool fits = edges.given_count() == gather_index.numel() && edges.source_size() == source_size &&
                      edges.target_size() == target_size;
    return fits ? std::optional(edges) : std::nullopt;
  }

  Edges find_or_make(int64_t source_size, int64_t target_size) const {
    if (auto edges = found(source_size, target_size)) return *std::move(edges);
    return make_sorted(gather_index, scatter_index, source_size, target_size);
  }
};

/// Number of elements up to which a call over edges runs on one thread. Such a call takes up to about 0.1 ms;
/// waking another thread can take as long if the thread's core is busy.
constexpr int64_t kOneThreadAlongEdges = int64_t{1} << 18;

/// Returns options for a call that reads a row of `data` for each edge and writes a new output.
Options make_options(const Tensor& data, const Tensor& gather_index) {
  const int64_t elements = gather_index.numel() * (data.numel() / std::max<int64_t>(data.size(0), 1));
  Options options = options_for(elements <= kOneThreadAlongEdges ? 0 : elements);
  options.promises.output_is_new = true;
  return options;
}

Tensor gather_scatter(const Tensor& data, const Tensor& gather_index, const Tensor& scatter_index,
                      const MaybeTensor& sorted, int64_t size, const MaybeTensor& weight,
                      const MaybeTensor& addend, bool relu, string_view reduction, string_view where) {
  count_line("gather_scatter", where);
  at::DimVector sizes(data.sizes());
  sizes[0] = size;
  Tensor result = new_tensor(sizes, data.scalar_type());
  const GatherScatterOperands operands{.weight = operand(weight), .addend = operand(addend)};
  const GatherScatterParams params{.reduction = parse_reduction(reduction).value(), .relu = relu};
  const MutableTensorView output = writable(result, Axes(result));
  const Options options = make_options(data, gather_index);
  const auto edges = Along{gather_index, scatter_index, sorted}.found(data.size(0), size);
  check(edges ? gather_scatter_into(operand(data), *edges, operands, params, output, std::nullopt, options)
              : gather_scatter_into(operand(data), operand(gather_index), operand(scatter_index), operands, params,
                                    output, std::nullopt, {}, options));
  return result;
}

/// Returns the gradients of data and addend; the second has no rows unless `needs_addend`. The forward call summed
/// relu(data + addend). Without an addend, it computed a maximum or minimum, as PyTorch's scatter_reduce into
/// zeros does.
std::tuple<Tensor, Tensor> message_gradients(const Tensor& gradient, const Tensor& data,
                                             const Tensor& gather_index, const Tensor& scatter_index,
                                             const MaybeTensor& sorted, const MaybeTensor& addend,
                                             bool needs_addend, const MaybeTensor& result, string_view reduction,
                                             string_view where) {
  count_line("message_gradients", where);
  Tensor of_data = new_tensor(data.sizes(), data.scalar_type());
  at::DimVector sizes(data.sizes());
  sizes[0] = needs_addend ? gather_index.numel() : 0;
  Tensor of_addend = new_tensor(sizes, data.scalar_type());
  GatherScatterGradients wanted{.data = writable(of_data, Axes(of_data))};
  if (needs_addend) wanted.addend = writable(of_addend, Axes(of_addend));
  const GatherScatterParams params{.reduction = parse_reduction(reduction).value(), .relu = addend.has_value()};
  const Edges edges = Along{gather_index, scatter_index, sorted}.find_or_make(data.size(0), gradient.size(0));
  check(gather_scatter_gradients(operand(gradient), operand(data), edges, {.addend = operand(addend)}, params,
                                 operand(result), Ties::kShareWithZero, wanted, make_options(data, gather_index)));
  return {of_data, of_addend};
}

Tensor edge_dot(const Tensor& one, const Tensor& other, const Tensor& gather_index, const Tensor& scatter_index,
                const MaybeTensor& sorted, int64_t heads, string_view where) {
  count_line("edge_dot", where);
  const Edges edges = Along{gather_index, scatter_index, sorted}.find_or_make(one.size(0), other.size(0));
  auto result = strew::edge_dot(operand(one), operand(other), edges, heads, make_options(one, gather_index));
  check(result);
  auto dots = std::make_unique<strew::Tensor>(*std::move(result));
  void* const data = dots->mutable_data();
  const at::DimVector sizes(dots->shape().begin(), dots->shape().end());
  const auto release = [](void* tensor) { delete static_cast<strew::Tensor*>(tensor); };
  return at::for_blob(data, sizes).context(dots.release(), release).options(one.scalar_type()).make_tensor();
}

/// Computes `result[indices] += values`. Strew's kernel adds in the same order on any number of threads.
void add_into(Tensor& result, const Indices& indices, const Tensor& values) {
  Output output(result);
  if (index_put(output, result, indices, values, true, false) == Outcome::kTaken) return;
  at::index_put_(result, indices, values, true);
}

/// Computes zeros(size, ...)[index] += values for an index of any rank.
Tensor add_rows(const Tensor& values, const Tensor& index, int64_t size, string_view where) {
  count_line("add_rows", where);
  at::DimVector sizes{size};
  sizes.append(values.sizes().begin() + index.dim(), values.sizes().end());
  Tensor result = at::zeros(sizes, values.options());
  add_into(result, Indices({index}), values);
  return result;
}

/// Adds rows of float16 in float32, as the eager kernel does. Negative indices count from the end, as in Inductor.
Tensor index_add(const Tensor& data, int64_t dim, const Tensor& index, const Tensor& values, string_view where) {
  count_line("index_add", where);
  Tensor positions;
  if (merge_indices({index}, data.sizes().slice(static_cast<std::size_t>(dim)), positions) != Outcome::kTaken)
    C10_THROW_ERROR(IndexError, c10::str("an index is out of bounds for an axis of length ", data.size(dim)));
  return at::index_add(data, dim, positions, values).contiguous();
}

Tensor add_at(const Tensor& data, const Indices& indices, const Tensor& values, string_view where) {
  count_line("add_at", where);
  Tensor result = data.clone(at::MemoryFormat::Contiguous);
  add_into(result, indices, values);
  return result;
}

Tensor scatter_add(const Tensor& data, int64_t dim, const Tensor& index, const Tensor& values, string_view where) {
  count_line("scatter_add", where);
  return at::scatter_add(data, dim, index, values).contiguous();
}

Tensor rows(const Tensor& data, const Tensor& index, string_view where) {
  count_line("rows", where);
  return at::index(data, {index}).contiguous();
}

template <class Function>
void define(::torch::Library& library, const char* schema, Function function) {
  library.def(schema, ::torch::dispatch(c10::DispatchKey::CPU, function));
}

}  // namespace
}  // namespace strew::aten

TORCH_LIBRARY_FRAGMENT(strew_torch, library) {
  using namespace strew::aten;
  library.set_python_module("strew.torch._compile_operators");  // has the fake kernels
  define(library,
         "sort_edges(Tensor gather_index, Tensor scatter_index, SymInt source_size, SymInt target_size) -> Tensor",
         sort_edges);
  define(library,
         "gather_scatter(Tensor data, Tensor gather_index, Tensor scatter_index, Tensor? sorted, SymInt size, "
         "Tensor? weight, Tensor? addend, bool relu, str reduction, str where) -> Tensor",
         gather_scatter);
  define(library,
         "message_gradients(Tensor gradient, Tensor data, Tensor gather_index, Tensor scatter_index, "
         "Tensor? sorted, Tensor? addend, bool needs_addend, Tensor? result, str reduction, "
         "str where) -> (Tensor, Tensor)",
         message_gradients);
  define(library,
         "edge_dot(Tensor one, Tensor other, Tensor gather_index, Tensor scatter_index, Tensor? sorted, "
         "int heads, str where) -> Tensor",
         edge_dot);
  define(library, "add_rows(Tensor values, Tensor index, SymInt size, str where) -> Tensor", add_rows);
  define(library, "index_add(Tensor data, int dim, Tensor index, Tensor values, str where) -> Tensor", index_add);
  define(library, "add_at(Tensor data, Tensor?[] indices, Tensor values, str where) -> Tensor", add_at);
  define(library, "scatter_add(Tensor data, int dim, Tensor index, Tensor values, str where) -> Tensor",
         scatter_add);
  define(library, "rows(Tensor data, Tensor index, str where) -> Tensor", rows);
}
