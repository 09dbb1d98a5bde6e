// Edges: reads and checks both index tensors once, and keeps them sorted.
#include "strew/edges.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/view_check.h"
#include "graph/edge_lists.h"
#include "graph/read_index.h"
#include "graph/with_errors.h"
#include "index/index_value.h"
#include "kernel/edge/edge_fold.h"

namespace strew {
namespace {

std::shared_ptr<EdgeLists> make_lists(SortedEdges sorted, std::int64_t source_size, std::int64_t given) {
  auto lists = std::make_shared<EdgeLists>();
  lists->source_size = source_size;
  lists->target_size = sorted.keys;
  lists->given = given;
  lists->by_target = std::move(sorted);
  return lists;
}

Executor& choose_executor(const Options& options) noexcept { return LazyExecutor(options.executor).get(); }

}  // namespace

Result<Edges> EdgeAccess::sort(PairedEdges pairs, Executor& executor) {
  STREW_ASSIGN(auto&& sorted,
               sort_edges("target_size", pairs.targets, pairs.sources, pairs.count, pairs.target_size, executor));
  return Edges(make_lists(std::move(sorted), pairs.source_size, pairs.count), false);
}

IndexList EdgeAccess::sources(const Edges& edges) {
  const SortedEdges& sorted = EdgeAccess::sorted(edges);
  if (sorted.other.list()) return sorted.other.list();
  const EdgeLists& lists = *edges.lists_;
  if (lists.places.load() == nullptr) {
    auto numbers = std::make_unique<IndexBuffer>(sorted.count + kEdgePadding, sorted.start.wide());
    numbers->visit([&](auto* to) { std::iota(to, to + sorted.count, 0); });
    numbers->pad(sorted.count);
    const IndexBuffer* nothing = nullptr;
    if (lists.places.compare_exchange_strong(nothing, numbers.get())) static_cast<void>(numbers.release());
  }
  return lists.places.load()->list();
}

EdgeFoldKernel EdgeAccess::kernel(DType dtype, EdgeFold& call, const Edges& edges) {
  call.source = EdgeAccess::sorted(edges).other.list();
  const EdgeFoldKernel lanes = edge_lanes_kernel(dtype, call);
  if (lanes != nullptr) return lanes;
  call.source = sources(edges);
  return edge_fold_kernel(dtype, call);
}

Result<Edges> make_edges(const TensorView& gather_index, const TensorView& scatter_index, std::int64_t source_size,
                         std::int64_t target_size, const IndexRules& rules, const Options& options) {
  return with_errors("Edges", [&]() -> Result<Edges> {
    Executor& executor = choose_executor(options);
    STREW_ASSIGN(auto&& pairs, read_edges(gather_index, scatter_index, source_size, target_size, rules, executor));
    return EdgeAccess::sort(std::move(pairs), executor);
  });
}

namespace {

// Largest number of rows that lists with padding and 8 bytes per entry can count.
constexpr std::int64_t kMostWide = std::numeric_limits<std::int64_t>::max() - kEdgePadding;

tl::unexpected<Error> reject_start(std::int64_t at, const ValueView& value, std::int64_t before) {
  const std::string what = concat("row_start", Shape{at}, " = ", value_text(value));
  if (at == 0) return reject(ErrorCode::kInvalidArgument, "row_start", what, "; it must be 0");
  return reject(ErrorCode::kInvalidArgument, "row_start", what, " is below the one before it, ", before);
}

// Converts row_start to sorted edges without `other`. Rejects more than `most` edges.
Result<SortedEdges> read_starts(const TensorView& row_start, std::int64_t most, std::string_view unit,
                                std::int64_t source_size, Executor& executor) {
  const std::int64_t targets = row_start.shape()[0] - 1;
  if (targets < 0) {
    return reject(ErrorCode::kInvalidArgument, "row_start", "row_start is empty; it must begin with 0");
  }
  const bool wide = needs_wide_lists(most, source_size, targets);
  SortedEdges sorted{
      .start = IndexBuffer(targets + 1, wide), .other = {}, .edge = {}, .keys = targets, .in_order = true};
  STREW_TRY(read_index("row_start", concat(most, unit), row_start, most + 1,
                       {OutOfBounds::kError, NegativeIndices::kOutOfBounds}, sorted.start, targets + 1, executor));
  if (sorted.start[0] != 0) return reject_start(0, sorted.start[0], 0);
  const std::int64_t risen = sorted.start.visit(
      [&](const auto* start) { return std::is_sorted_until(start, start + targets + 1) - start; });
  if (risen <= targets) return reject_start(risen, sorted.start[risen], sorted.start[risen - 1]);
  sorted.count = sorted.start[targets];
  return sorted;
}

AnyIndex value_at(const TensorView& index, std::int64_t at) {
  const std::int64_t offset = at * strides_of(index)[0] * (bit_width(index.dtype()) / 8);
  return load_any_index(index.dtype(), static_cast<const std::byte*>(index.data()) + offset);
}

// Returns a clearer error than read_starts: for the first row_start value that falls or exceeds kMostWide.
Status check_rise(const TensorView& row_start) {
  std::int64_t before = 0;
  for (std::int64_t at = 0; at < row_start.shape()[0]; ++at) {
    const AnyIndex start = value_at(row_start, at);
    const ValueView value = index_value_view(row_start.dtype(), start.bits);
    if (start.value < before || (at == 0 && start.value != 0)) return reject_start(at, value, before);
    if (start.value > kMostWide) {
      return reject(ErrorCode::kInvalidArgument, "row_start", "row_start", Shape{at}, " = ", value_text(value),
                    "; it must be at most ", kMostWide);
    }
    before = start.value;
  }
  return {};
}

}  // namespace

Result<Edges> make_edges_from_csr(const TensorView& row_start, const TensorView& column, std::int64_t source_size,
                                  const Options& options) {
  return with_errors("Edges.from_csr", [&]() -> Result<Edges> {
    STREW_TRY(check_index("row_start", row_start, "targets + 1"));
    STREW_TRY(check_index("column", column));
    STREW_TRY(check_size("source_size", source_size));
    const std::int64_t count = column.shape()[0];
    Executor& executor = choose_executor(options);
    STREW_ASSIGN(auto&& sorted, read_starts(row_start, count, " edges", source_size, executor));
    if (sorted.count != count) {
      return reject(ErrorCode::kInvalidArgument, "row_start", "row_start ends at ", sorted.count,
                    "; it must end at the length of column, ", count);
    }
    sorted.other = IndexBuffer(count + kEdgePadding, sorted.start.wide());
    sorted.other.pad(count);
    STREW_TRY(read_index("column", concat(source_size, " source rows"), column, source_size, {}, sorted.other,
                         count, executor));
    return Edges(make_lists(std::move(sorted), source_size, count), false);
  });
}

Result<Edges> make_edges_from_segments(const TensorView& row_start, const Options& options) {
  return with_errors("Edges.from_segments", [&]() -> Result<Edges> {
    STREW_TRY(check_index("row_start", row_start, "targets + 1"));
    const std::int64_t size = row_start.shape()[0];
    const std::int64_t last = size > 0 ? value_at(row_start, size - 1).value : 0;
    const std::int64_t most = std::clamp(last, kMostNarrow, kMostWide);
    auto sorted = read_starts(row_start, most, " rows", most, choose_executor(options));
    if (!sorted) {
      STREW_TRY(check_rise(row_start));
      return fail(std::move(sorted).error());
    }
    const std::int64_t rows = sorted->count;
    return Edges(make_lists(*std::move(sorted), rows, rows), false);
  });
}

}  // namespace strew
