// The compiled node of a Fusion: uses the fused kernel if a run's shapes allow it, otherwise runs one operator
// after another.
#include <memory>
#include <utility>

#include "api.h"
#include "compiled_node.h"
#include "executor.h"
#include "facts.h"
#include "strew/gather_scatter.h"
#include "strew/ops.h"
#include "tensors.h"

namespace strew::ort {
namespace {

// For narrower rows, sorting edges costs more time than fusion saves in one run, so edges are sorted only if a
// later run has the same indices.
constexpr std::int64_t kWideRowBytes = 128;

Reduction parse_reduction(const std::string& word) {
  if (word == "add") return Reduction::kAdd;
  if (word == "mul") return Reduction::kMul;
  if (word == "max") return Reduction::kMax;
  if (word == "min") return Reduction::kMin;
  throw Refusal{ORT_INVALID_ARGUMENT, "reduction is '" + word + "'; it must be none, add, mul, max or min"};
}

Shape tail(const Shape& shape) { return Shape(std::span(shape.begin() + 1, shape.end())); }

// Prepends axes of length 1 up to the rank of `whole`; nullopt if the tensor does not broadcast to `whole`.
std::optional<TensorView> aligned(const TensorView& tensor, const Shape& whole) {
  const std::int64_t missing = whole.rank() - tensor.shape().rank();
  if (missing < 0) return std::nullopt;
  Shape shape;
  for (std::int64_t axis = 0; axis < whole.rank(); ++axis) {
    shape.push_back(axis < missing ? 1 : tensor.shape()[axis - missing]);
    if (shape[axis] != 1 && shape[axis] != whole[axis]) return std::nullopt;
  }
  return TensorView(tensor.data(), tensor.dtype(), shape);
}

struct FusedNode : CompiledNode {
  FusedNode(Provider& made_by, Fusion found, const Node& fused_node)
      : CompiledNode(made_by, fused_node), fusion(std::move(found)), reduction(parse_reduction(fusion.reduction)) {
    if (fusion.by_elements && !fusion.has_expand) {
      if (const OrtValue* constant = constant_value(api, fusion.index_value)) {
        repeated = repeated_axes(read_tensor(api, constant));
        constant_indices = true;
      } else {
        repeated = provider.repeated_values.reader_made(fusion.indices);
      }
    }
  }

  struct Operands {
    const OrtKernelContext* context;
    Tensor data;
    Tensor gather_index;
    std::optional<Tensor> base = std::nullopt;  // nullopt if this node produces the base
    Shape base_shape = {};
    Tensor indices;
    std::vector<std::optional<TensorView>> others = {};  // second operand of each step
    std::vector<strew::Tensor> products = {};            // memory of products
  };

  Operands read(const OrtKernelContext* context, Executor& executor) const {
    Operands operands{.context = context,
                      .data = input(context, fusion.data),
                      .gather_index = input(context, fusion.gather_index),
                      .indices = input(context, fusion.indices)};
    if (fusion.base.empty()) {
      const Shape ones(std::vector<std::int64_t>(static_cast<std::size_t>(fusion.base_rank), 1));
      operands.base_shape = broadcast("base", ones, shape_in(input(context, fusion.base_shape)));
    } else {
      operands.base = input(context, fusion.base);
      operands.base_shape = Shape(operands.base->dims);
    }
    operands.products.reserve(fusion.steps.size());
    for (const Fusion::Step& step : fusion.steps) {
      std::optional<TensorView> other;
      if (!step.other.empty()) other = input(context, step.other).view();
      if (!step.times.empty()) {
        other =
            operands.products.emplace_back(product(*other, input(context, step.times).view(), executor)).view();
      }
      operands.others.push_back(std::move(other));
    }
    return operands;
  }

  void compute(OrtKernelContext* context) const override {
    SessionThreads executor(api, context, provider.options.threads);
    const Operands operands = read(context, executor);
    const MutableTensorView result = output(context, operands.data.dtype, operands.base_shape);
    const strew::Options options{.executor = &executor};
    if (!run_fused(operands, result, options)) run_each(operands, result, options);
    executor.check_complete();
  }

  bool run_fused(const Operands& operands, const MutableTensorView& output, const strew::Options& options) const {
    const Shape data(operands.data.dims);
    const Shape& base = operands.base_shape;
    const Tensor& source = operands.gather_index;
    const bool one_each =
        fusion.by_tuples ? source.dims.size() == 2 && source.dims[1] == 1 : source.dims.size() == 1;
    if (!one_each || data.empty() || base.empty() || tail(data) != tail(base)) return false;
    const TensorView sources(source.data, source.dtype, {source.dims[0]});  // the source row of each edge
    Shape rows = data;
    rows[0] = source.dims[0];
    if (element_count(rows) == 0 || element_count(base) == 0 || scattered_shape(rows, operands.context) != rows) {
      return false;
    }
    const std::optional<TensorView> index = row_index(operands, rows);
    if (!index) return false;
    GatherScatterParams params{.reduction = reduction};
    GatherScatterOperands given;
    for (std::size_t i = 0; i < fusion.steps.size(); ++i) {
      const RowStep what = fusion.steps[i].what;
      if (what == RowStep::kRelu) {
        params.relu = true;
        continue;
      }
      std::optional<TensorView> other = aligned(*operands.others[i], rows);
      if (!other) return false;
      (what == RowStep::kMul ? given.weight : given.addend) = std::move(other);
    }
    const bool knows_fill = fusion.fill || fusion.base.empty();
    const std::optional<Scalar> filled_with = knows_fill ? fusion.fill : provider.fills.of(fusion.base);
    const std::int64_t row_bytes = element_count(tail(rows)) * (bit_width(operands.data.dtype) / 8);
    const std::optional<Edges> edges = provider.edges.get(sources, *index, {data[0], base[0], fusion.last_only},
                                                          row_bytes >= kWideRowBytes, options);
    if (!edges) return false;
    const bool from_zero = filled_with && filled_with->is_zero() && reduction == Reduction::kAdd;
    if (!from_zero) given.base = make_base(operands, output, *options.executor);
    unwrap(gather_scatter_into(operands.data.view(), *edges, given, params, output, std::nullopt, options));
    return true;
  }

  void run_each(const Operands& operands, const MutableTensorView& output, const strew::Options& options) const {
    const TensorView data = operands.data.view();
    const TensorView sources = operands.gather_index.view();
    strew::Tensor rows =
        unwrap(fusion.by_tuples ? gather_nd(data, sources, {}, options) : gather(data, sources, {}, options));
    std::vector<Shape> shapes{rows.shape()};
    for (std::size_t i = 0; i < fusion.steps.size(); ++i) {
      const std::optional<TensorView>& other = operands.others[i];
      rows = apply_step(fusion.steps[i].what, std::move(rows), other ? &*other : nullptr, *options.executor);
      shapes.push_back(rows.shape());
    }
    shapes.push_back(scattered_shape(rows.shape(), operands.context));
    const TensorView base = make_base(operands, output, *options.executor);
    scatter_rows(operands, rows, shapes, base, output, options);
    if (fusion.last_only) add_to(output, base, *options.executor);
  }

  /// Scatters rows for `run_each`. `shapes` holds the rows' shapes after 0, 1, ... steps, then the updates' shape.
  void scatter_rows(const Operands& operands, const strew::Tensor& rows, const std::vector<Shape>& shapes,
                    const TensorView& base, const MutableTensorView& output, const strew::Options& options) const {
    const Reduction folded = fusion.last_only ? Reduction::kNone : reduction;
    const Shape& wide = shapes.back();
    const TensorView all(rows.data(), rows.dtype(), wide, broadcast_strides(rows.shape(), wide));
    if (!fusion.by_elements) {
      return unwrap(scatter_nd_into(base, operands.indices.view(), all, output, {.reduction = folded}, options));
    }
    const Shape from(operands.indices.dims);
    const Shape shape = fusion.has_expand ? expanded_shape(from, shapes, operands.context) : from;
    const TensorView indices = fusion.has_expand ? TensorView(operands.indices.data, operands.indices.dtype, shape,
                                                              broadcast_strides(from, shape))
                                                 : without_repetition(operands.indices, repeated_now());
    const Tensor whole{rows.data(), rows.dtype(), std::span(rows.shape().begin(), rows.shape().end())};
    std::vector<std::int64_t> cut_dims;
    const TensorView updates =
        fusion.has_slice ? cut_updates(whole, std::span(shape.begin(), shape.end()), cut_dims).view() : all;
    unwrap(scatter_elements_into(base, indices, updates, output, {.reduction = folded}, options));
  }

  /// Returns the base. If this node produces the base, fills `output` with it.
  TensorView make_base(const Operands& operands, const MutableTensorView& output, Executor& executor) const {
    if (operands.base) return operands.base->view();
    fill(output, *fusion.fill, executor);
    return output;
  }

  Shape expanded_shape(const Shape& from, const std::vector<Shape>& rows, const OrtKernelContext* context) const {
    if (fusion.expand_shape.empty()) return broadcast("expand", from, rows[fusion.expand_to_step]);
    return broadcast("expand", from, shape_in(input(context, fusion.expand_shape)));
  }

  // Returns the scatter's index of each row; nullopt unless the scatter has exactly one index per row.
  std::optional<TensorView> row_index(const Operands& operands, const Shape& rows) const {
    const Tensor& indices = operands.indices;
    const Shape shape(indices.dims);
    if (shape.empty() || shape[0] != rows[0]) return std::nullopt;
    std::int64_t step = 1;
    if (fusion.by_elements && fusion.has_expand) {
      if (shape.rank() != rows.rank() || element_count(shape) != rows[0]) return std::nullopt;
      const std::vector<Shape> all(fusion.steps.size() + 2, rows);
      if (expanded_shape(shape, all, operands.context) != rows) return std::nullopt;
    } else if (fusion.by_elements) {
      if (shape != rows || repeated_now() < rows.rank() - 1) return std::nullopt;
      step = element_count(tail(rows));
    } else if (shape != Shape{rows[0], 1}) {
      return std::nullopt;
    }
    return TensorView(indices.data, indices.dtype, {rows[0]}, {step});
  }

  /// Returns the shape of the updates for rows of this shape.
  Shape scattered_shape(const Shape& rows, const OrtKernelContext* context) const {
    return fusion.rows_shape.empty() ? rows
                                     : broadcast("expand", rows, shape_in(input(context, fusion.rows_shape)));
  }

  /// Returns the number of trailing axes along which the indices repeat.
  std::int64_t repeated_now() const {
    return constant_indices || (repeated > 0 && provider.repeated_values.is_written_here(fusion.indices))
               ? repeated
               : 0;
  }

  const Fusion fusion;
  const Reduction reduction;
  std::int64_t repeated = 0;
  bool constant_indices = false;
};

}  // namespace

std::unique_ptr<CompiledNode> make_fused_node(Provider& provider, Fusion found, const Node& fused_node) {
  return std::make_unique<FusedNode>(provider, std::move(found), fused_node);
}

}  // namespace strew::ort
