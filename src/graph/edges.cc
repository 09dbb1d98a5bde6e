// Edges: reading and checking both index tensors once, and what can be asked of them afterwards.
#include "strew/edges.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "graph/edge_lists.h"
#include "graph/read_index.h"
#include "graph/with_errors.h"
#include "kernel/edge_fold.h"

namespace strew {
namespace {

std::shared_ptr<EdgeLists> lists_of(SortedEdges sorted, std::int64_t source_size, std::int64_t given) {
  auto lists = std::make_shared<EdgeLists>();
  lists->source_size = source_size;
  lists->target_size = sorted.keys;
  lists->given = given;
  lists->by_target = std::move(sorted);
  return lists;
}

Executor& executor_of(const Options& options) noexcept { return LazyExecutor(options.executor).get(); }

}  // namespace

Edges EdgeAccess::sort(PairedEdges pairs, Executor& executor) {
  const auto size = static_cast<std::size_t>(pairs.count);
  SortedEdges sorted =
      sort_edges({pairs.targets.data(), size}, {pairs.sources.data(), size}, pairs.target_size, executor);
  return Edges(lists_of(std::move(sorted), pairs.source_size, pairs.count), false);
}

Result<Edges> make_edges(const TensorView& gather_index, const TensorView& scatter_index, std::int64_t source_size,
                         std::int64_t target_size, const IndexRules& rules, const Options& options) {
  return with_errors([&]() -> Result<Edges> {
    Executor& executor = executor_of(options);
    auto pairs = read_edges(gather_index, scatter_index, source_size, target_size, rules, executor);
    if (!pairs) return fail(std::move(pairs).error());
    return EdgeAccess::sort(*std::move(pairs), executor);
  });
}

namespace {

// Sorted edges, of whose members only `other` is left to be filled. At most `most` edges.
Result<SortedEdges> read_starts(const TensorView& row_start, std::int64_t most, std::string_view unit,
                                Executor& executor) {
  STREW_TRY(check_index("row_start", row_start));
  const std::int64_t targets = row_start.shape()[0] - 1;
  if (targets < 0) {
    return reject(ErrorCode::kInvalidArgument, "row_start", "row_start is empty; it must begin with 0");
  }
  SortedEdges sorted{
      .start = IndexBuffer(targets + 1), .other = {}, .edge = {}, .keys = targets, .in_order = true};
  const auto start = std::span(sorted.start.data(), static_cast<std::size_t>(targets + 1));
  STREW_TRY(read_index("row_start", concat(most, unit), row_start, most + 1,
                       {OutOfBounds::kError, NegativeIndices::kOutOfBounds}, start, executor));
  for (std::int64_t t = 0; t <= targets; ++t) {
    const std::int32_t lowest = t > 0 ? start[static_cast<std::size_t>(t - 1)] : 0;
    const std::int32_t value = start[static_cast<std::size_t>(t)];
    if (t == 0 && value != 0) {
      return reject(ErrorCode::kInvalidArgument, "row_start", "row_start[0] = ", value, "; it must be 0");
    }
    if (value < lowest) {
      return reject(ErrorCode::kInvalidArgument, "row_start", "row_start", Shape{t}, " = ", value,
                    " is below the one before it, ", lowest);
    }
  }
  sorted.count = start.back();
  sorted.other = IndexBuffer(sorted.count + kEdgePadding);
  std::fill_n(sorted.other.data() + sorted.count, kEdgePadding, 0);
  return sorted;
}

}  // namespace

Result<Edges> make_edges_from_csr(const TensorView& row_start, const TensorView& column, std::int64_t source_size,
                                  const Options& options) {
  return with_errors([&]() -> Result<Edges> {
    STREW_TRY(check_index("column", column));
    STREW_TRY(check_size("source_size", source_size));
    const std::int64_t count = column.shape()[0];
    Executor& executor = executor_of(options);
    auto sorted = read_starts(row_start, count, " edges", executor);
    if (!sorted) return fail(std::move(sorted).error());
    if (sorted->count != count) {
      return reject(ErrorCode::kInvalidArgument, "row_start", "row_start ends at ", sorted->count,
                    "; it must end at the length of column, ", count);
    }
    STREW_TRY(read_index("column", concat(source_size, " source rows"), column, source_size, {},
                         {sorted->other.data(), static_cast<std::size_t>(count)}, executor));
    return Edges(lists_of(*std::move(sorted), source_size, count), false);
  });
}

Result<Edges> make_edges_from_segments(const TensorView& row_start, const Options& options) {
  return with_errors([&]() -> Result<Edges> {
    auto sorted = read_starts(row_start, kMostEdges, " rows", executor_of(options));
    if (!sorted) return fail(std::move(sorted).error());
    std::iota(sorted->other.data(), sorted->other.data() + sorted->count, 0);
    const std::int64_t rows = sorted->count;
    return Edges(lists_of(*std::move(sorted), rows, rows), false);
  });
}

}  // namespace strew
