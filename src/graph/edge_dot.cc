// Computes dot products along edges.
#include "core/error.h"
#include "core/fence.h"
#include "core/view_check.h"
#include "graph/edge_lists.h"
#include "graph/operands.h"
#include "kernel/edge/edge_kernels.h"
#include "strew/gather_scatter.h"

namespace strew {
namespace {

Status check_rows(std::string_view name, const TensorView& view, std::int64_t rows, std::string_view of) {
  STREW_TRY(check_view("", name, view));
  if (edge_dot_kernel(view.dtype()) == nullptr) {
    return reject(ErrorCode::kInvalidType, name, name, " is ", dtype_name(view.dtype()),
                  "; it must be float16, bfloat16, float32 or float64");
  }
  if (view.rank() < 1 || view.shape()[0] != rows) {
    return reject(ErrorCode::kInvalidArgument, name, name, " has shape ", view.shape(),
                  "; its first axis must have length ", rows, ", the number of ", of);
  }
  return {};
}

Result<Tensor> run_dot(const TensorView& one, const TensorView& other, const Edges& edges, std::int64_t heads,
                       const Options& options) {
  STREW_TRY(check_rows("one", one, edges.source_size(), "sources"));
  STREW_TRY(check_rows("other", other, edges.target_size(), "targets"));
  Shape row = one.shape();
  row[0] = other.shape()[0];
  if (one.dtype() != other.dtype() || row != other.shape()) {
    return reject(ErrorCode::kInvalidArgument, "other", "other is ", dtype_name(other.dtype()), " ", other.shape(),
                  "; its rows must match those of one, ", dtype_name(one.dtype()), " ", one.shape());
  }
  row[0] = 1;
  const std::int64_t elements = element_count(row);
  if (heads < 1 || elements % heads != 0) {
    return reject(ErrorCode::kInvalidArgument, "heads", "heads is ", heads, "; it must divide rows of ", elements,
                  " elements");
  }
  const Shape shape = heads == 1 ? Shape{edges.given_count()} : Shape{edges.given_count(), heads};
  const SortedEdges& sorted = EdgeAccess::sorted(edges);
  const bool all = sorted.count == edges.given_count();
  auto output = all ? Tensor::uninitialized(one.dtype(), shape) : Tensor::zeros(one.dtype(), shape);
  if (!output) return reject(output.error().code, "output", "output: ", output.error());
  const Contiguous first(one);
  const Contiguous second(other);
  const std::int64_t width = bit_width(one.dtype()) / 8;
  const EdgeDot call{.one = first.data(),
                     .other = second.data(),
                     .output = output->mutable_data(),
                     .start = sorted.start.list(),
                     .source = EdgeAccess::sources(edges),
                     .edge = sorted.edge.list(),
                     .heads = heads,
                     .columns = elements / heads,
                     .ahead_edges = edges_ahead(one.shape()[0], elements * width)};
  Executor& executor = LazyExecutor(options.executor).get();
  const auto pieces = cut_edges(sorted, elements, width, usual_task_count(executor), false);
  parallel_for(executor, static_cast<std::int64_t>(pieces.size()), [&](std::int64_t i) {
    edge_dot_kernel(one.dtype())(call, pieces[static_cast<std::size_t>(i)].targets);
  });
  return output;
}

}  // namespace

Result<Tensor> edge_dot(const TensorView& one, const TensorView& other, const Edges& edges, std::int64_t heads,
                        const Options& options) {
  return with_errors("edge_dot", [&] { return run_dot(one, other, edges, heads, options); });
}

}  // namespace strew
