// Runs a call of gather_scatter: checks operands, splits targets into tasks of equal work, and runs kernels.
#include "strew/gather_scatter.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/fence.h"
#include "core/scratch.h"
#include "core/tuning.h"
#include "core/view_check.h"
#include "graph/edge_lists.h"
#include "graph/operands.h"
#include "kernel/edge/edge_kernels.h"

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

struct Call {
  const TensorView& data;
  const GatherScatterOperands& operands;
  const GatherScatterParams& params;
  const MutableTensorView& output;
  const std::optional<MutableTensorView>& winners;

  std::int64_t row() const { return element_count(row_shape(data.shape())); }
  std::int64_t row_bytes() const { return row() * (bit_width(data.dtype()) / 8); }
};

// Checks a call over `edges` edges, and returns its weight and addend.
Result<EdgeTerms> check(const Call& call, std::int64_t source_size, std::int64_t target_size, std::int64_t edges) {
  const auto& [data, operands, params, output, winners] = call;
  STREW_TRY(check_data(data, source_size));
  STREW_TRY(check_params(params, data.dtype(), winners.has_value()));
  Shape shape = data.shape();
  shape[0] = target_size;
  STREW_TRY(check_result("output", output, data.dtype(), shape));
  STREW_TRY(check_written("output", output, data, operands));
  if (operands.base) STREW_TRY(check_result("base", *operands.base, data.dtype(), shape));
  if (winners) {
    STREW_TRY(check_result("winners", *winners, DType::kInt64, shape));
    STREW_TRY(check_written("winners", *winners, data, operands));
    STREW_TRY(check_overlap("winners", *winners, "output", output));
  }
  return EdgeTerms::make(operands, data.dtype(), edges, row_shape(data.shape()));
}

// Operands in contiguous memory, and the arguments of the kernel except edges and terms.
class Memory {
 public:
  explicit Memory(const Call& call) : data_(call.data), output_(call.output) {
    if (call.operands.base) base_.emplace(*call.operands.base);
    if (call.winners) winners_.emplace(*call.winners);
    fold_ = {.data = data_.data(),
             .rows = call.data.shape()[0],
             .output = output_.data(),
             .base = base_ ? base_->data() : nullptr,
             .winners = winners_ ? static_cast<std::int64_t*>(winners_->data()) : nullptr,
             .reduction = call.params.reduction,
             .relu = call.params.relu,
             .round_each = call.params.acc_dtype == AccDType::kData};
  }
  EdgeFold& fold() noexcept { return fold_; }
  void finish() {
    output_.finish();
    if (winners_) winners_->finish();
  }

 private:
  Contiguous data_;
  ContiguousOutput output_;
  std::optional<Contiguous> base_;
  std::optional<ContiguousOutput> winners_;
  EdgeFold fold_;
};

Status run(const Call& given, const Edges& edges, Executor& executor) {
  const bool sorted_terms = given.operands.sorted;
  STREW_ASSIGN(auto&& terms, check(given, edges.source_size(), edges.target_size(),
                                   sorted_terms ? edges.count() : edges.given_count()));
  if (element_count(given.output.shape()) == 0) return {};
  const SortedEdges& sorted = EdgeAccess::sorted(edges);
  if (given.winners) STREW_TRY(check_degrees("winners", sorted));
  Memory memory(given);
  EdgeFold& call = memory.fold();
  call.no_winner = edges.given_count();
  call.start = sorted.start.list();
  call.edge = sorted.edge.list();
  terms.put_into(call, sorted, sorted_terms, executor);
  call.source = EdgeAccess::sources(edges);
  call.ahead_edges = edges_ahead(given.data.shape()[0], given.row_bytes());
  const EdgeFoldKernel kernel = edge_fold_kernel(given.data.dtype(), call);
  const std::int64_t row = given.row();
  const auto pieces = cut_edges(sorted, row, given.row_bytes() / row, usual_task_count(executor));
  parallel_for(executor, static_cast<std::int64_t>(pieces.size()), [&](std::int64_t i) {
    const EdgePiece& piece = pieces[static_cast<std::size_t>(i)];
    kernel(call, piece.targets, piece.columns);
  });
  memory.finish();
  return {};
}

bool goes_unsorted(const Call& call, Executor& executor) {
  const DType dtype = call.data.dtype();
  const bool narrow = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  const std::int64_t width = narrow ? std::int64_t{sizeof(float)} : bit_width(dtype) / 8;
  return call.row() * width <= kUnsortedRowBytes && !call.winners && !call.operands.sorted &&
         !(narrow && call.params.acc_dtype == AccDType::kFloat32) &&
         usual_task_count(executor) <= kMaxUnsortedTasks;
}

Status run_unsorted(const Call& given, PairedEdges& edges, Executor& executor) {
  STREW_ASSIGN(auto&& terms, check(given, edges.source_size, edges.target_size, edges.count));
  if (element_count(given.output.shape()) == 0) return {};
  Memory memory(given);
  EdgeScatter call{.fold = memory.fold(),
                   .source = edges.sources.as<std::int32_t>(),
                   .target = edges.targets.as<std::int32_t>(),
                   .count = edges.count,
                   .target_size = edges.target_size,
                   .all = edges.all};
  terms.put_into(call.fold, SortedEdges(), true, executor);
  call.fold.ahead_edges = edges_ahead(std::max(edges.source_size, edges.target_size), given.row_bytes());
  const bool mean = given.params.reduction == Reduction::kMean;
  const bool extremum = is_extremum(given.params.reduction) && !given.operands.base;
  const Scratch of_targets(mean       ? edges.target_size * std::int64_t{sizeof(std::uint32_t)}
                           : extremum ? edges.target_size
                                      : 0);
  if (mean) call.degree = reinterpret_cast<std::uint32_t*>(of_targets.data());
  if (extremum) call.reached = reinterpret_cast<bool*>(of_targets.data());
  const std::int64_t tasks =
      std::clamp<std::int64_t>(edges.count / kUnsortedTaskEdges, 1, usual_task_count(executor));
  const EdgeScatterKernel kernel = edge_scatter_kernel(given.data.dtype());
  parallel_for(executor, tasks, [&](std::int64_t i) { kernel(call, part_of(edges.target_size, tasks, i)); });
  memory.finish();
  return {};
}

}  // namespace

Status gather_scatter_into(const TensorView& data, const Edges& edges, const GatherScatterOperands& operands,
                           const GatherScatterParams& params, const MutableTensorView& output,
                           const std::optional<MutableTensorView>& winners, const Options& options) {
  return with_errors("gather_scatter", [&] {
    return run({data, operands, params, output, winners}, edges, LazyExecutor(options.executor).get());
  });
}

Status gather_scatter_into(const TensorView& data, const TensorView& gather_index, const TensorView& scatter_index,
                           const GatherScatterOperands& operands, const GatherScatterParams& params,
                           const MutableTensorView& output, const std::optional<MutableTensorView>& winners,
                           const IndexRules& rules, const Options& options) {
  return with_errors("gather_scatter", [&]() -> Status {
    if (data.rank() < 1 || output.rank() < 1) {
      const std::string_view name = data.rank() < 1 ? "data" : "output";
      return reject(ErrorCode::kInvalidArgument, name, name, " is a scalar; it must have at least one axis");
    }
    Executor& executor = LazyExecutor(options.executor).get();
    STREW_ASSIGN(auto&& pairs,
                 read_edges(gather_index, scatter_index, data.shape()[0], output.shape()[0], rules, executor));
    const Call call{data, operands, params, output, winners};
    if (!pairs.sources.wide() && goes_unsorted(call, executor)) return run_unsorted(call, pairs, executor);
    STREW_ASSIGN(const auto& sorted, EdgeAccess::sort(std::move(pairs), executor));
    return run(call, sorted, executor);
  });
}

Result<Tensor> gather_scatter(const TensorView& data, const Edges& edges, const GatherScatterOperands& operands,
                              const GatherScatterParams& params, const Options& options) {
  return with_errors("gather_scatter", [&]() -> Result<Tensor> {
    if (data.rank() < 1)
      return reject(ErrorCode::kInvalidArgument, "data", "data is a scalar; it must have at least one axis");
    Shape shape = data.shape();
    shape[0] = edges.target_size();
    auto output = Tensor::uninitialized(data.dtype(), shape);
    if (!output) return reject(output.error().code, "output", "output: ", output.error());
    STREW_TRY(gather_scatter_into(data, edges, operands, params, output->mutable_view(), std::nullopt, options));
    return output;
  });
}

}  // namespace strew
