// What can be asked of edges: the other direction, their order, and values in that order.
#include <algorithm>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/view_check.h"
#include "graph/edge_lists.h"
#include "graph/terms.h"
#include "graph/with_errors.h"
#include "kernel/kernel.h"
#include "strew/edges.h"

namespace strew {
namespace {

Result<Tensor> as_int64(std::int64_t count, const auto& value) {
  auto tensor = Tensor::uninitialized(DType::kInt64, {count});
  if (!tensor) return reject(tensor.error().code, "", tensor.error());
  auto* to = static_cast<std::int64_t*>(tensor->mutable_data());
  for (std::int64_t i = 0; i < count; ++i) to[i] = value(i);
  return tensor;
}

}  // namespace

std::int64_t Edges::count() const noexcept { return lists_->by_target.count; }
std::int64_t Edges::given_count() const noexcept { return lists_->given; }
std::int64_t Edges::source_size() const noexcept { return reversed_ ? lists_->target_size : lists_->source_size; }
std::int64_t Edges::target_size() const noexcept { return reversed_ ? lists_->source_size : lists_->target_size; }
bool Edges::sorted() const noexcept { return EdgeAccess::sorted(*this).in_order; }
std::int64_t Edges::bytes() const noexcept {
  const SortedEdges* other = lists_->by_source.load();
  const IndexBuffer* places = lists_->places.load();
  return lists_->by_target.bytes() + (other != nullptr ? other->bytes() : 0) +
         (places != nullptr ? places->bytes() : 0);
}

Result<Edges> Edges::reversed(const Options& options) const {
  if (reversed_ || lists_->by_source.load() != nullptr) return Edges(lists_, !reversed_);
  return with_errors([&]() -> Result<Edges> {
    // In the order in which edges were given.
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
    auto sorted = std::make_unique<SortedEdges>(
        sort_edges(sources, targets, given, lists_->source_size, LazyExecutor(options.executor).get()));
    const SortedEdges* nothing = nullptr;
    if (lists_->by_source.compare_exchange_strong(nothing, sorted.get())) static_cast<void>(sorted.release());
    return Edges(lists_, true);
  });
}

namespace {

Result<Tensor> check_values(const TensorView& values, std::int64_t count, std::int64_t rows) {
  const auto elements = check_view("gather_scatter", "values", values);
  if (!elements) return fail(elements.error());
  if (values.rank() < 1 || values.shape()[0] != count) {
    return reject(ErrorCode::kInvalidArgument, "values", "values has shape ", values.shape(),
                  "; its first axis must have the ", count, " edges");
  }
  Shape shape = values.shape();
  shape[0] = rows;
  return Tensor::zeros(values.dtype(), shape);
}

}  // namespace

Result<Tensor> Edges::sort(const TensorView& values) const {
  return with_errors([&]() -> Result<Tensor> {
    const SortedEdges& sorted = EdgeAccess::sorted(*this);
    auto result = check_values(values, given_count(), sorted.count);
    if (!result || result->element_count() == 0) return result;
    auto copy = Tensor::copy_of(values);
    if (!copy || sorted.in_order) return copy;
    take_rows(copy->data(), sorted.edge.list(), sorted.count, result->element_count() / sorted.count,
              values.dtype(), result->mutable_data(), serial_executor());
    return result;
  });
}

Result<Tensor> Edges::unsort(const TensorView& values) const {
  return with_errors([&]() -> Result<Tensor> {
    const SortedEdges& sorted = EdgeAccess::sorted(*this);
    auto result = check_values(values, sorted.count, given_count());
    if (!result || result->element_count() == 0) return result;
    auto copy = Tensor::copy_of(values);
    if (!copy || sorted.in_order) return copy;
    const std::int64_t row = copy->element_count() / sorted.count;
    for (std::int64_t i = 0; i < sorted.count; ++i) {
      const std::int64_t to = sorted.edge[i] * row;
      copy_kernel(values.dtype())(
          result->mutable_data(),
          static_cast<const std::byte*>(copy->data()) + i * row * (bit_width(values.dtype()) / 8), &to, nullptr, 1,
          row);
    }
    return result;
  });
}

Result<Tensor> Edges::sources() const {
  const SortedEdges& sorted = EdgeAccess::sorted(*this);
  return as_int64(sorted.count, [&](std::int64_t i) { return sorted.other_of(i); });
}

Result<Tensor> Edges::targets() const {
  const SortedEdges& sorted = EdgeAccess::sorted(*this);
  std::int64_t t = 0;
  return as_int64(sorted.count, [&](std::int64_t i) {
    while (sorted.start[t + 1] <= i) ++t;
    return t;
  });
}

Result<Tensor> Edges::numbers() const {
  const SortedEdges& sorted = EdgeAccess::sorted(*this);
  return as_int64(sorted.count, [&](std::int64_t i) { return sorted.in_order ? i : sorted.edge[i]; });
}

}  // namespace strew
