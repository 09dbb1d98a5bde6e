// A call of gather_scatter: operands checked, targets cut into tasks of equal work, kernels run.
#include "strew/gather_scatter.h"

#include <exception>
#include <new>
#include <optional>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/size.h"
#include "core/view_check.h"
#include "graph/contiguous.h"
#include "graph/edge_lists.h"
#include "graph/tasks.h"
#include "graph/terms.h"
#include "graph/with_errors.h"
#include "kernel/edge_fold.h"

namespace strew {
namespace {

Shape row_of(const Shape& shape) {
  Shape row;
  for (std::int64_t axis = 1; axis < shape.rank(); ++axis) row.push_back(shape[axis]);
  return row;
}

Status check_data(const TensorView& data, const Edges& edges) {
  const auto count = check_view("gather_scatter", "data", data);
  if (!count) return fail(count.error());
  switch (data.dtype()) {
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      break;
    default:
      return reject(ErrorCode::kInvalidType, "data", "data is ", dtype_name(data.dtype()),
                    "; it must be float16, bfloat16, float32 or float64");
  }
  if (data.rank() < 1 || data.shape()[0] != edges.source_size()) {
    return reject(ErrorCode::kInvalidArgument, "data", "data has shape ", data.shape(),
                  "; its first axis must have the ", edges.source_size(), " source rows of edges");
  }
  return {};
}

Status check_params(const GatherScatterParams& params, DType dtype, bool winners) {
  const Reduction reduction = params.reduction;
  const bool extremum = reduction == Reduction::kMax || reduction == Reduction::kMin;
  if (!extremum && reduction != Reduction::kAdd && reduction != Reduction::kMean && reduction != Reduction::kMul) {
    return reject(ErrorCode::kUnsupported, "reduction", "reduction is ", reduction_name(reduction),
                  "; it must be add, mean, max, min or mul");
  }
  if (winners && !extremum) {
    return reject(ErrorCode::kInvalidArgument, "winners", "winners are of max and min; reduction is ",
                  reduction_name(reduction));
  }
  const bool narrow = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  if (params.acc_dtype == AccDType::kFloat32 && !narrow && dtype != DType::kFloat32) {
    return reject(ErrorCode::kInvalidType, "acc_dtype", "acc_dtype is float32, but data is ", dtype_name(dtype));
  }
  return {};
}

Status check_result(std::string_view name, const TensorView& view, DType dtype, const Shape& shape) {
  const auto count = check_view("gather_scatter", name, view);
  if (!count) return fail(count.error());
  if (view.dtype() != dtype) {
    return reject(ErrorCode::kInvalidType, name, name, " is ", dtype_name(view.dtype()), "; it must be ",
                  dtype_name(dtype));
  }
  if (view.shape() != shape) {
    return reject(ErrorCode::kInvalidArgument, name, name, " has shape ", view.shape(), "; it must be ", shape);
  }
  return {};
}

Status check_overlap(std::string_view written, const TensorView& output, std::string_view name,
                     const std::optional<TensorView>& operand) {
  if (!operand || !byte_range(output).overlaps(byte_range(*operand))) return {};
  return reject(ErrorCode::kInvalidArgument, written, written, " overlaps ", name);
}

Status check_written(std::string_view name, const MutableTensorView& output, const TensorView& data,
                     const GatherScatterOperands& operands) {
  STREW_TRY(check_distinct_elements("gather_scatter", name, output));
  STREW_TRY(check_overlap(name, output, "data", data));
  STREW_TRY(check_overlap(name, output, "weight", operands.weight));
  STREW_TRY(check_overlap(name, output, "addend", operands.addend));
  if (operands.base && same_tensor(*operands.base, output)) return {};
  return check_overlap(name, output, "base", operands.base);
}

Status run(const TensorView& data, const Edges& edges, const GatherScatterOperands& operands,
           const GatherScatterParams& params, const MutableTensorView& output,
           const std::optional<MutableTensorView>& winners, const Options& options) {
  STREW_TRY(check_data(data, edges));
  STREW_TRY(check_params(params, data.dtype(), winners.has_value()));
  const Shape row = row_of(data.shape());
  Shape shape{edges.target_size()};
  for (const std::int64_t extent : row) shape.push_back(extent);
  STREW_TRY(check_result("output", output, data.dtype(), shape));
  STREW_TRY(check_written("output", output, data, operands));
  if (operands.base) STREW_TRY(check_result("base", *operands.base, data.dtype(), shape));
  if (winners) {
    STREW_TRY(check_result("winners", *winners, DType::kInt64, shape));
    STREW_TRY(check_written("winners", *winners, data, operands));
    STREW_TRY(check_overlap("winners", *winners, "output", output));
  }
  std::optional<EdgeValues> weight;
  std::optional<EdgeValues> addend;
  const std::int64_t given = operands.sorted ? edges.count() : edges.given_count();
  for (auto [name, view, to] :
       {std::tuple("weight", &operands.weight, &weight), {"addend", &operands.addend, &addend}}) {
    if (!*view) continue;
    auto made = EdgeValues::make(name, **view, data.dtype(), given, row);
    if (!made) return fail(made.error());
    to->emplace(*std::move(made));
  }
  if (element_count(shape) == 0) return {};

  const SortedEdges& sorted = EdgeAccess::sorted(edges);
  Executor& executor = LazyExecutor(options.executor).get();
  const std::int64_t elements = element_count(row);
  TermLayout layout{weight ? weight->heads() : 1, elements};
  if (addend && !addend->fits(layout)) {
    if (layout.heads == 1) {
      layout.heads = addend->heads();
    } else {
      addend->expand();
    }
  }
  layout.columns = elements / layout.heads;
  const Contiguous source(data);
  const std::optional<Contiguous> base =
      operands.base ? std::optional<Contiguous>(std::in_place, *operands.base) : std::nullopt;
  ContiguousOutput result(output);
  std::optional<ContiguousOutput> first;
  if (winners) first.emplace(*winners);
  EdgeFold call{.data = source.data(),
                .output = result.data(),
                .base = base ? base->data() : nullptr,
                .winners = first ? static_cast<std::int64_t*>(first->data()) : nullptr,
                .no_winner = edges.given_count(),
                .start = sorted.start.data(),
                .source = sorted.other.data(),
                .edge = sorted.edges(),
                .weight = weight ? weight->term(layout, sorted, operands.sorted, executor) : EdgeTerm{},
                .addend = addend ? addend->term(layout, sorted, operands.sorted, executor) : EdgeTerm{},
                .heads = layout.heads,
                .columns = layout.columns,
                .reduction = params.reduction,
                .relu = params.relu,
                .round_each = params.acc_dtype == AccDType::kData};
  const std::int64_t width = bit_width(data.dtype()) / 8;
  call.ahead = edges_ahead(data.shape()[0], elements * width);
  const EdgeFoldKernel kernel = edge_fold_kernel(data.dtype(), call);
  const auto pieces = cut_edges(sorted, elements, width, usual_task_count(executor));
  parallel_for(executor, static_cast<std::int64_t>(pieces.size()), [&](std::int64_t i) {
    const EdgePiece& piece = pieces[static_cast<std::size_t>(i)];
    kernel(call, piece.targets, piece.columns);
  });
  result.finish();
  if (first) first->finish();
  return {};
}

}  // namespace

Status gather_scatter_into(const TensorView& data, const Edges& edges, const GatherScatterOperands& operands,
                           const GatherScatterParams& params, const MutableTensorView& output,
                           const std::optional<MutableTensorView>& winners, const Options& options) {
  try {
    return run(data, edges, operands, params, output, winners, options);
  } catch (const std::bad_alloc&) {
    return reject(ErrorCode::kOutOfMemory, "", "out of memory");
  } catch (const std::exception& thrown) {
    return reject(ErrorCode::kUnsupported, "", "the executor failed: ", std::string_view(thrown.what()));
  }
}

Result<Tensor> gather_scatter(const TensorView& data, const Edges& edges, const GatherScatterOperands& operands,
                              const GatherScatterParams& params, const Options& options) {
  if (data.rank() < 1)
    return reject(ErrorCode::kInvalidArgument, "data", "data is a scalar; it must have a first axis");
  Shape shape = data.shape();
  shape[0] = edges.target_size();
  auto output = Tensor::uninitialized(data.dtype(), shape);
  if (!output) return reject(output.error().code, "output", "output: ", output.error());
  STREW_TRY(gather_scatter_into(data, edges, operands, params, output->mutable_view(), std::nullopt, options));
  return output;
}

}  // namespace strew
