// A call of gather_scatter: operands checked, targets cut into tasks of equal work, kernels run.
#include "strew/gather_scatter.h"

#include <optional>
#include <utility>

#include "core/error.h"
#include "core/size.h"
#include "core/view_check.h"
#include "graph/checks.h"
#include "graph/contiguous.h"
#include "graph/edge_lists.h"
#include "graph/tasks.h"
#include "graph/terms.h"
#include "graph/with_errors.h"
#include "kernel/edge_fold.h"

namespace strew {
namespace {

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
  auto terms = EdgeTerms::make(operands, data.dtype(), operands.sorted ? edges.count() : edges.given_count(), row);
  if (!terms) return fail(terms.error());
  if (element_count(shape) == 0) return {};

  const SortedEdges& sorted = EdgeAccess::sorted(edges);
  Executor& executor = LazyExecutor(options.executor).get();
  const std::int64_t elements = element_count(row);
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
                .reduction = params.reduction,
                .relu = params.relu,
                .round_each = params.acc_dtype == AccDType::kData};
  const std::int64_t width = bit_width(data.dtype()) / 8;
  terms->put_into(call, sorted, operands.sorted, executor);
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
  return with_errors([&] { return run(data, edges, operands, params, output, winners, options); });
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
