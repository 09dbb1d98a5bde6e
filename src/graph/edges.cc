// Makes Edges from index tensors, and divides calls over edges into tasks.
#include "strew/edges.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/fence.h"
#include "core/size.h"
#include "core/tuning.h"
#include "core/view_check.h"
#include "graph/edge_lists.h"
#include "index/index_value.h"
#include "kernel/edge/edge_kernels.h"

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

// Largest number of edges or rows for which the length of a list, with its padding, fits in int64.
constexpr std::int64_t kMostWide = std::numeric_limits<std::int64_t>::max() - kEdgePadding;

tl::unexpected<Error> reject_start(std::int64_t at, const ValueView& value, std::int64_t before) {
  const std::string what = concat("row_start", Shape{at}, " = ", value_text(value));
  if (at == 0) return reject(ErrorCode::kInvalidArgument, "row_start", what, "; it must be 0");
  return reject(ErrorCode::kInvalidArgument, "row_start", what, " is below the value before it, ", before);
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

// Returns an error for the first bad value of row_start, with a clearer message than read_starts returns.
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

Result<Edges> make_edges(const TensorView& gather_index, const TensorView& scatter_index, std::int64_t source_size,
                         std::int64_t target_size, const IndexRules& rules, const Options& options) {
  return with_errors("Edges", [&]() -> Result<Edges> {
    Executor& executor = choose_executor(options);
    STREW_ASSIGN(auto&& pairs, read_edges(gather_index, scatter_index, source_size, target_size, rules, executor));
    return EdgeAccess::sort(std::move(pairs), executor);
  });
}

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

std::vector<EdgePiece> cut_edges(const SortedEdges& edges, std::int64_t row, std::int64_t width,
                                 std::int64_t threads, bool by_columns) {
  const IndexList start = edges.start.list();
  const std::int64_t work = edges.count + edges.keys;
  const std::int64_t pieces = threads == 1 ? 1
                                           : std::clamp<std::int64_t>(work * row * width / kEdgeTaskBytes, 1,
                                                                      threads * kEdgeTasksPerThread);
  std::vector<EdgePiece> cut;
  std::int64_t begin = 0;
  for (std::int64_t i = 1; i <= pieces && begin < edges.keys; ++i) {
    const std::int64_t most = part_of(work, pieces, i - 1).end;
    // Finds the target at which the accumulated work reaches `most`: the last target of this piece.
    std::int64_t end = begin;
    for (std::int64_t step = edges.keys - begin; step > 0;) {
      const std::int64_t half = step / 2;
      if (start[end + half + 1] + end + half + 1 < most) {
        end += half + 1;
        step -= half + 1;
      } else {
        step = half;
      }
    }
    end = i == pieces ? edges.keys : std::min(end + 1, edges.keys);
    if (end <= begin) continue;
    const std::int64_t last = end - 1;
    const std::int64_t tiles = by_columns && start[end] - start[last] > 2 * work / pieces
                                   ? std::clamp<std::int64_t>(row * width / kHubColumnBytes, 1, threads)
                                   : 1;
    if (tiles > 1) {
      const std::int64_t lanes = kHubColumnBytes / width;
      for (std::int64_t tile = 0; tile < tiles; ++tile) {
        const Range part = part_of(div_up(row, lanes), tiles, tile);
        cut.push_back({{last, end}, {part.begin * lanes, std::min(part.end * lanes, row)}});
      }
      end = last;
    }
    if (end > begin) cut.push_back({{begin, end}, {0, row}});
    begin = last + 1;
  }
  return cut;
}

std::int64_t edges_ahead(std::int64_t rows, std::int64_t row_bytes) noexcept {
  if (rows * row_bytes <= machine().l2_bytes || row_bytes == 0) return 0;
  return std::clamp(kEdgePrefetchBytes / row_bytes, kMinEdgesAhead, kEdgePadding);
}

}  // namespace strew
