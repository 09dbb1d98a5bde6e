// Functions of Edges that reverse the edges, list them in sorted order, and move values to that order and back.
#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/fence.h"
#include "core/view_check.h"
#include "graph/edge_lists.h"
#include "graph/operands.h"
#include "kernel/kernel.h"
#include "strew/edges.h"

namespace strew {
namespace {

Result<Tensor> as_int64(std::string_view function, std::int64_t count, const auto& value) {
  return with_errors(function, [&] {
    auto tensor = Tensor::uninitialized(DType::kInt64, {count});
    if (!tensor) return tensor;
    auto* to = static_cast<std::int64_t*>(tensor->mutable_data());
    for (std::int64_t i = 0; i < count; ++i) to[i] = value(i);
    return tensor;
  });
}

// Copies values from the given order of edges to the sorted order, or in the other direction if `back`.
Result<Tensor> moved(const TensorView& values, const SortedEdges& sorted, std::int64_t given, bool back) {
  const std::int64_t count = back ? sorted.count : given;
  STREW_TRY(check_view("", "values", values));
  if (values.rank() < 1 || values.shape()[0] != count) {
    return reject(ErrorCode::kInvalidArgument, "values", "values have shape ", values.shape(),
                  "; their first axis must have length ", count, ", the number of edges");
  }
  auto from = Tensor::copy_of(values);
  if (!from || sorted.in_order) return from;
  Shape shape = values.shape();
  shape[0] = back ? given : sorted.count;
  auto to = Tensor::zeros(values.dtype(), shape);
  const std::int64_t row = element_count(row_shape(shape));
  if (!to || row == 0) return to;
  // Offsets count elements, since strings and packed types have no byte offsets.
  std::vector<std::int64_t> edge(static_cast<std::size_t>(sorted.count));
  for (std::size_t i = 0; i < edge.size(); ++i) edge[i] = sorted.edge[static_cast<std::int64_t>(i)] * row;
  copy_kernel(values.dtype())(to->mutable_data(), from->data(), back ? edge.data() : nullptr,
                              back ? nullptr : edge.data(), sorted.count, row);
  return to;
}

}  // namespace

Result<Edges> Edges::reversed(const Options& options) const {
  if (reversed_ || lists_->by_source.load() != nullptr) return Edges(lists_, !reversed_);
  return with_errors("Edges.reversed", [&]() -> Result<Edges> {
    // Restores both index lists in the given order.
    const SortedEdges& from = lists_->by_target;
    const std::int64_t given = lists_->given;
    IndexBuffer sources(given, from.start.wide());
    IndexBuffer targets(given, from.start.wide());
    sources.visit([&]<class Index>(Index* source) {
      auto* target = targets.as<Index>();
      if (from.count < given) std::fill_n(source, given, -1);
      for (std::int64_t t = 0; t < from.keys; ++t) {
        for (std::int64_t i = from.start[t]; i < from.start[t + 1]; ++i) {
          const std::int64_t e = from.in_order ? i : from.edge[i];
          source[e] = static_cast<Index>(from.other_of(i));
          target[e] = static_cast<Index>(t);
        }
      }
    });
    STREW_ASSIGN(auto&& by_source, sort_edges("source_size", sources, targets, given, lists_->source_size,
                                              LazyExecutor(options.executor).get()));
    auto sorted = std::make_unique<SortedEdges>(std::move(by_source));
    const SortedEdges* nothing = nullptr;
    if (lists_->by_source.compare_exchange_strong(nothing, sorted.get())) static_cast<void>(sorted.release());
    return Edges(lists_, true);
  });
}

Result<Tensor> Edges::sort(const TensorView& values) const {
  return with_errors("Edges.sort", [&] { return moved(values, EdgeAccess::sorted(*this), given_count(), false); });
}

Result<Tensor> Edges::unsort(const TensorView& values) const {
  return with_errors("Edges.unsort",
                     [&] { return moved(values, EdgeAccess::sorted(*this), given_count(), true); });
}

Result<Tensor> Edges::sources() const {
  const SortedEdges& sorted = EdgeAccess::sorted(*this);
  return as_int64("Edges.sources", sorted.count, [&](std::int64_t i) { return sorted.other_of(i); });
}

Result<Tensor> Edges::targets() const {
  const SortedEdges& sorted = EdgeAccess::sorted(*this);
  std::int64_t t = 0;
  return as_int64("Edges.targets", sorted.count, [&](std::int64_t i) {
    while (sorted.start[t + 1] <= i) ++t;
    return t;
  });
}

Result<Tensor> Edges::numbers() const {
  const SortedEdges& sorted = EdgeAccess::sorted(*this);
  return as_int64("Edges.numbers", sorted.count,
                  [&](std::int64_t i) { return sorted.in_order ? i : sorted.edge[i]; });
}

}  // namespace strew
