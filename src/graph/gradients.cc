// Gradients of gather_scatter. Recomputes the messages edge by edge instead of storing them.
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/fence.h"
#include "core/scratch.h"
#include "core/view_check.h"
#include "graph/edge_lists.h"
#include "graph/operands.h"
#include "kernel/edge/edge_kernels.h"
#include "kernel/mean.h"
#include "strew/gather_scatter.h"

namespace strew {
namespace {

Tensor value_or_throw(Result<Tensor> tensor) {
  if (!tensor) throw std::bad_alloc();
  return *std::move(tensor);
}

class Gradients {
 public:
  Gradients(const TensorView& gradient, const TensorView& data, const Edges& edges, EdgeTerms terms,
            const GatherScatterParams& params, const std::optional<TensorView>& result, Executor& executor)
      : gradient_(gradient),
        data_(data),
        shape_(data.shape()),
        edges_(edges),
        terms_(std::move(terms)),
        params_(params),
        executor_(executor),
        dtype_(data.dtype()),
        width_(bit_width(dtype_) / 8),
        row_(element_count(row_shape(data.shape()))) {
    if (result && is_extremum(params.reduction)) result_.emplace(*result);
    shares_ = gradient_.data();
  }

  /// Divides the gradient of a mean by the number of edges of each target, or finds the winners of max and min.
  /// Must be called first.
  void prepare(Ties ties) {
    if (params_.reduction == Reduction::kMean) return divide_by_degrees();
    if (!is_extremum(params_.reduction)) return;
    const EdgeFold call = forward();
    EdgeWinners winners{.gradient = shares_, .result = result_->data()};
    const Shape shape{edges_.target_size(), row_};
    if (ties == Ties::kFirst) {
      const DType words = dtype_ == DType::kFloat64 ? DType::kInt64 : DType::kInt32;
      winners.first = made_.emplace(value_or_throw(Tensor::uninitialized(words, shape))).mutable_data();
      winners_ = winners.first;
    } else {
      winners.shares = made_.emplace(value_or_throw(Tensor::uninitialized(dtype_, shape))).mutable_data();
      winners.count_zero = ties == Ties::kShareWithZero;
      shares_ = winners.shares;
    }
    for_each_piece(EdgeAccess::sorted(edges_), false,
                   [&](const EdgePiece& piece) { edge_winners_kernel(dtype_)(call, winners, piece.targets); });
  }

  Status of_data(const MutableTensorView& view) {
    STREW_ASSIGN(auto&& back, edges_.reversed({.executor = &executor_}));
    ContiguousOutput output(view);
    const SortedEdges& sorted = EdgeAccess::sorted(back);
    EdgeFold call = over(back, shares_, edges_.target_size());
    call.output = output.data();
    if (call.relu || compared() != nullptr || winners_ != nullptr) {
      call.mask = {.data = data_.data(), .result = compared(), .winners = winners_};
    } else {
      call.addend = {};
    }
    call.round_each = params_.acc_dtype == AccDType::kData;
    const EdgeFoldKernel kernel = edge_fold_kernel(dtype_, call);
    for_each_piece(sorted, true, [&](const EdgePiece& piece) { kernel(call, piece.targets, piece.columns); });
    output.finish();
    return {};
  }

  Status of_terms(const GatherScatterGradients& outputs) {
    std::optional<ContiguousOutput> weight;
    std::optional<ContiguousOutput> addend;
    EdgeShares call{.shares = shares_, .result = compared(), .winners = winners_};
    if (outputs.weight) {
      STREW_TRY(check_term("weight", *terms_.weight(), *outputs.weight, call.weight_sums));
      call.of_weight = weight.emplace(*outputs.weight).data();
      clear_left_out(*outputs.weight, call.of_weight);
    }
    if (outputs.addend) {
      STREW_TRY(check_term("addend", *terms_.addend(), *outputs.addend, call.addend_sums));
      call.of_addend = addend.emplace(*outputs.addend).data();
      clear_left_out(*outputs.addend, call.of_addend);
    }
    const EdgeFold forwards = forward();
    for_each_piece(EdgeAccess::sorted(edges_), false, [&](const EdgePiece& piece) {
      const Scratch scratch(kEdgeScratchRows * row_ * width_);
      edge_shares_kernel(dtype_)(forwards, call, piece.targets, scratch.data());
    });
    if (weight) weight->finish();
    if (addend) addend->finish();
    return {};
  }

 private:
  // Checks the output for a term's gradient. Sets `sums` to its number of elements per edge if a row has more.
  Status check_term(std::string_view name, const EdgeValues& term, const TensorView& view,
                    std::int64_t& sums) const {
    Shape whole = shape_;
    whole[0] = edges_.given_count();
    if (view.dtype() == dtype_ && view.shape() == whole) return {};
    const Shape least = term.form().gradient_shape(whole[0], row_shape(shape_));
    sums = term.form().heads;
    if (view.dtype() == dtype_ && view.shape() == least) return {};
    return reject(ErrorCode::kInvalidArgument, name, "the gradient of ", name, " is ", dtype_name(view.dtype()),
                  " ", view.shape(), "; it must be ", dtype_name(dtype_), " ",
                  least == whole ? concat(whole) : concat(least, " or ", whole));
  }

  void clear_left_out(const TensorView& view, void* rows) const {
    if (edges_.count() == edges_.given_count() && row_ > 0) return;
    std::memset(rows, 0, static_cast<std::size_t>(element_count(view.shape()) * width_));
  }

  const void* compared() const noexcept { return winners_ == nullptr && result_ ? result_->data() : nullptr; }

  EdgeFold over(const Edges& edges, const void* rows, std::int64_t count) {
    const SortedEdges& sorted = EdgeAccess::sorted(edges);
    EdgeFold call{.data = rows,
                  .rows = count,
                  .start = sorted.start.list(),
                  .source = EdgeAccess::sources(edges),
                  .edge = sorted.edge.list(),
                  .relu = params_.relu};
    terms_.put_into(call, sorted, false, executor_);
    call.ahead_edges = edges_ahead(count, row_ * width_);
    return call;
  }
  EdgeFold forward() { return over(edges_, data_.data(), edges_.source_size()); }

  template <class Body>
  void for_each_piece(const SortedEdges& sorted, bool by_columns, const Body& body) {
    if (row_ == 0) return;
    const auto pieces = cut_edges(sorted, row_, width_, usual_task_count(executor_), by_columns);
    parallel_for(executor_, static_cast<std::int64_t>(pieces.size()),
                 [&](std::int64_t i) { body(pieces[static_cast<std::size_t>(i)]); });
  }

  void divide_by_degrees() {
    const SortedEdges& sorted = EdgeAccess::sorted(edges_);
    Tensor quotients = value_or_throw(Tensor::uninitialized(dtype_, {sorted.keys, row_}));
    std::memcpy(quotients.mutable_data(), shares_, static_cast<std::size_t>(quotients.size_bytes()));
    std::vector<std::uint32_t> degrees(static_cast<std::size_t>(sorted.keys));
    for (std::int64_t t = 0; t < sorted.keys; ++t) {
      degrees[static_cast<std::size_t>(t)] = static_cast<std::uint32_t>(sorted.start[t + 1] - sorted.start[t]);
    }
    divide_by_terms(dtype_)->few({quotients.mutable_data(), sorted.keys, row_, row_}, degrees.data(), false);
    shares_ = made_.emplace(std::move(quotients)).data();
  }

  Contiguous gradient_;
  Contiguous data_;
  Shape shape_;
  std::optional<Contiguous> result_;
  const Edges& edges_;
  EdgeTerms terms_;
  const GatherScatterParams& params_;
  Executor& executor_;
  DType dtype_;
  std::int64_t width_;
  std::int64_t row_;
  std::optional<Tensor> made_;  // memory of shares_ or winners_
  const void* shares_ = nullptr;
  const void* winners_ = nullptr;
};

Status check_output(std::string_view name, const std::optional<MutableTensorView>& output,
                    const std::array<std::pair<std::string_view, std::optional<TensorView>>, 5>& operands) {
  if (!output) return {};
  STREW_TRY(check_distinct_elements("gather_scatter", name, *output));
  for (const auto& [other, view] : operands)
    STREW_TRY(check_overlap(concat("the gradient of ", name), *output, other, view));
  return {};
}

Status run(const TensorView& gradient, const TensorView& data, const Edges& edges,
           const GatherScatterOperands& operands, const GatherScatterParams& params,
           const std::optional<TensorView>& result, Ties ties, const GatherScatterGradients& outputs,
           const Options& options) {
  STREW_TRY(check_data(data, edges.source_size()));
  STREW_TRY(check_params(params, data.dtype(), false));
  if (params.reduction == Reduction::kMul) {
    return reject(ErrorCode::kUnsupported, "reduction",
                  "reduction is mul; gradients are supported for add, mean, max and min");
  }
  if (operands.base || operands.sorted) {
    return reject(ErrorCode::kUnsupported, operands.base ? "base" : "sorted", "gradients are not supported with ",
                  operands.base ? "base" : "sorted terms");
  }
  Shape shape = data.shape();
  shape[0] = edges.target_size();
  STREW_TRY(check_result("gradient", gradient, data.dtype(), shape));
  if (params.reduction != Reduction::kAdd) STREW_TRY(check_degrees("gradient", EdgeAccess::sorted(edges)));
  if (is_extremum(params.reduction)) {
    if (!result) {
      return reject(ErrorCode::kInvalidArgument, "result",
                    "result is missing; the gradient of max and min needs the result of gather_scatter");
    }
    STREW_TRY(check_result("result", *result, data.dtype(), shape));
    if (ties == Ties::kFirst && edges.given_count() > kMostNarrow) {
      return reject(ErrorCode::kUnsupported, "ties", "ties is first with ", edges.given_count(),
                    " edges; at most ", kMostNarrow, " are supported");
    }
  }
  if (outputs.data) STREW_TRY(check_result("the gradient of data", *outputs.data, data.dtype(), data.shape()));
  for (const auto& [name, output, term] :
       {std::tuple("weight", &outputs.weight, &operands.weight), {"addend", &outputs.addend, &operands.addend}}) {
    if (*output && !*term) {
      return reject(ErrorCode::kInvalidArgument, name, "the gradient of ", name, " is requested, but there is no ",
                    name);
    }
  }
  for (const auto& [name, output] :
       {std::pair("data", &outputs.data), {"weight", &outputs.weight}, {"addend", &outputs.addend}}) {
    STREW_TRY(check_output(name, *output,
                           {{{"gradient", gradient},
                             {"data", data},
                             {"weight", operands.weight},
                             {"addend", operands.addend},
                             {"result", result}}}));
  }
  STREW_ASSIGN(auto&& terms,
               EdgeTerms::make(operands, data.dtype(), edges.given_count(), row_shape(data.shape())));
  Gradients gradients(gradient, data, edges, std::move(terms), params, result,
                      LazyExecutor(options.executor).get());
  gradients.prepare(ties);
  if (outputs.weight || outputs.addend) STREW_TRY(gradients.of_terms(outputs));
  return outputs.data ? gradients.of_data(*outputs.data) : Status{};
}

}  // namespace

Result<GatherScatterGradientShapes> gather_scatter_gradient_shapes(const TensorView& data, const Edges& edges,
                                                                   const GatherScatterOperands& operands) {
  return with_errors("gather_scatter", [&]() -> Result<GatherScatterGradientShapes> {
    STREW_TRY(check_data(data, edges.source_size()));
    const Shape row = row_shape(data.shape());
    const std::int64_t count = edges.given_count();
    STREW_ASSIGN(const auto& forms, TermForms::of(operands, data.dtype(), count, row));
    GatherScatterGradientShapes shapes{.data = data.shape()};
    if (forms.weight) shapes.weight = forms.weight->gradient_shape(count, row);
    if (forms.addend) shapes.addend = forms.addend->gradient_shape(count, row);
    return shapes;
  });
}

Status gather_scatter_gradients(const TensorView& gradient, const TensorView& data, const Edges& edges,
                                const GatherScatterOperands& operands, const GatherScatterParams& params,
                                const std::optional<TensorView>& result, Ties ties,
                                const GatherScatterGradients& outputs, const Options& options) {
  return with_errors("gather_scatter",
                     [&] { return run(gradient, data, edges, operands, params, result, ties, outputs, options); });
}

}  // namespace strew
