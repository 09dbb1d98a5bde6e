// The data of Edges: the edges sorted by target and, once a call needs that order, by source. Also
// declares functions that check the index tensors of edges and divide calls into tasks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "kernel/edge/edge_kernels.h"
#include "strew/edges.h"
#include "strew/error.h"
#include "strew/plan.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew {

/// Largest number of edges or rows for which lists have 4 bytes per entry.
inline constexpr std::int64_t kMostNarrow = std::numeric_limits<std::int32_t>::max() - kEdgePadding;

/// True if lists for these numbers of edges and rows need 8 bytes per entry.
bool needs_wide_lists(std::int64_t edges, std::int64_t source_size, std::int64_t target_size) noexcept;

/// For tests: makes all new lists wide during its lifetime. Only one instance may exist at a time.
class ScopedWideLists {
 public:
  ScopedWideLists() noexcept;
  ~ScopedWideLists();
  ScopedWideLists(const ScopedWideLists&) = delete;
  ScopedWideLists& operator=(const ScopedWideLists&) = delete;
};

/// An uninitialised list of int32 elements, or of int64 if wide.
class IndexBuffer {
 public:
  IndexBuffer() noexcept = default;
  /// Throws std::bad_alloc.
  IndexBuffer(std::int64_t count, bool wide);
  bool wide() const noexcept { return memory_.dtype() == DType::kInt64; }
  template <class Index>
  Index* as() noexcept {
    return static_cast<Index*>(memory_.mutable_data());
  }
  IndexList list() const noexcept { return {memory_.data(), wide()}; }
  std::int64_t operator[](std::int64_t i) const noexcept { return list()[i]; }
  std::int64_t bytes() const noexcept { return memory_.size_bytes(); }

  /// Calls body(elements) with a pointer to int32 or int64 elements.
  template <class Body>
  decltype(auto) visit(const Body& body) {
    return wide() ? body(as<std::int64_t>()) : body(as<std::int32_t>());
  }
  /// Writes zeros into the padding after `count` entries. Prefetches read the padding.
  void pad(std::int64_t count) {
    visit([&](auto* to) { std::fill_n(to + count, kEdgePadding, 0); });
  }

 private:
  Tensor memory_;
};

/// Edges in the given order. Each list ends with kEdgePadding zeros.
struct PairedEdges {
  IndexBuffer sources;
  IndexBuffer targets;  ///< negative: the edge is dropped
  std::int64_t count = 0;
  std::int64_t source_size = 0;
  std::int64_t target_size = 0;
  bool all = true;  ///< true if no edge can be dropped
};

/// Edges sorted stably by key, which is the target or the source. Key k has the edges [start[k], start[k + 1]).
struct SortedEdges {
  IndexBuffer start;
  IndexBuffer other;  ///< the other end of each edge, then kEdgePadding zeros; empty if it would be 0, 1, 2, ...
  IndexBuffer edge;   ///< the position of each edge in the given order; empty if it would be 0, 1, 2, ...
  std::int64_t keys = 0;
  std::int64_t count = 0;
  bool in_order = false;  ///< true if the given keys were sorted and no edge is dropped; then `edge` is empty

  std::int64_t other_of(std::int64_t i) const noexcept { return other.list() ? other[i] : i; }
  std::int64_t bytes() const noexcept { return start.bytes() + other.bytes() + edge.bytes(); }
};

/// Sorts edges by key and drops edges with negative keys. `keys`, `others` and the lists of the result have the
/// same width. The error kOutOfMemory names `argument`, the caller's argument for the number of keys.
Result<SortedEdges> sort_edges(std::string_view argument, IndexBuffer& keys, IndexBuffer& others,
                               std::int64_t count, std::int64_t key_count, Executor& executor);

struct EdgeLists {
  std::int64_t source_size = 0;
  std::int64_t target_size = 0;
  std::int64_t given = 0;
  SortedEdges by_target;
  mutable std::atomic<const SortedEdges*> by_source = nullptr;
  /// The list 0, 1, 2, ...: the sources if by_target.other is empty. EdgeAccess::sources creates it.
  mutable std::atomic<const IndexBuffer*> places = nullptr;

  ~EdgeLists() {
    delete by_source.load();
    delete places.load();
  }
};

/// The work of one task: a range of targets and a range of columns.
struct EdgePiece {
  Range targets;
  Range columns;
};

struct EdgeAccess {
  static Result<Edges> sort(PairedEdges pairs, Executor& executor);
  static const SortedEdges& sorted(const Edges& edges) noexcept {
    return edges.reversed_ ? *edges.lists_->by_source.load() : edges.lists_->by_target;
  }
  /// Returns the sources of the sorted edges; creates EdgeLists::places if needed. Throws std::bad_alloc.
  static IndexList sources(const Edges& edges);
};

/// Splits targets into tasks with about the same number of edges plus targets. If `by_columns`, also splits the
/// columns of a target that has more work than two average tasks. Rows have `row` elements of `width` bytes.
std::vector<EdgePiece> cut_edges(const SortedEdges& edges, std::int64_t row, std::int64_t width,
                                 std::int64_t threads, bool by_columns = true);

/// Returns the prefetch distance for source rows, in edges; 0 if `rows` rows of `row_bytes` bytes fit in L2.
std::int64_t edges_ahead(std::int64_t rows, std::int64_t row_bytes) noexcept;

/// Returns an error about `operand`, or about no operand if it is "". with_errors adds the function's name.
template <class... Parts>
tl::unexpected<Error> reject(ErrorCode code, std::string_view operand, const Parts&... text) {
  return fail(code, About{.operand = operand}, text...);
}

/// Checks that a view has an integer type and one axis; `length` names the extent of that axis in messages.
Status check_index(std::string_view name, const TensorView& view, std::string_view length = "edges");
Status check_size(std::string_view name, std::int64_t size);

/// Writes the row (one of `size` rows) that each index value refers to, or -1 if the value is dropped. Fails at
/// the first value that the rules reject. `of` names the rows in messages: "10 source rows".
Status read_index(std::string_view name, std::string of, const TensorView& view, std::int64_t size,
                  const IndexRules& rules, IndexBuffer& rows, std::int64_t count, Executor& executor);

/// Runs all checks of make_edges, and returns the edges in the given order. Throws std::bad_alloc.
Result<PairedEdges> read_edges(const TensorView& gather_index, const TensorView& scatter_index,
                               std::int64_t source_size, std::int64_t target_size, const IndexRules& rules,
                               Executor& executor);

}  // namespace strew
