// What Edges keeps: the edges in the order of their targets, and of their sources once it is needed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

#include "core/parallel.h"
#include "kernel/edge_fold.h"
#include "strew/edges.h"
#include "strew/error.h"
#include "strew/tensor.h"

namespace strew {

/// Edges and rows that lists of 4 bytes an entry can tell apart.
inline constexpr std::int64_t kMostNarrow = std::numeric_limits<std::int32_t>::max() - kEdgePadding;

/// Whether lists of so many edges between so many rows take 8 bytes an entry.
bool needs_wide_lists(std::int64_t edges, std::int64_t source_size, std::int64_t target_size) noexcept;

/// For tests: until its end all new lists are wide. One at a time.
class ScopedWideLists {
 public:
  ScopedWideLists() noexcept;
  ~ScopedWideLists();
  ScopedWideLists(const ScopedWideLists&) = delete;
  ScopedWideLists& operator=(const ScopedWideLists&) = delete;
};

/// int32 elements, or int64 where wide; uninitialised, in memory of the block cache.
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

  /// Calls body(elements) with a pointer of their type.
  template <class Body>
  decltype(auto) visit(const Body& body) {
    return wide() ? body(as<std::int64_t>()) : body(as<std::int32_t>());
  }
  /// Zeros for prefetches, from `count` on.
  void pad(std::int64_t count) {
    visit([&](auto* to) { std::fill_n(to + count, kEdgePadding, 0); });
  }

 private:
  Tensor memory_;
};

/// Edges in the order in which they were given. Both lists have kEdgePadding zeros after them.
struct PairedEdges {
  IndexBuffer sources;
  IndexBuffer targets;  ///< below 0: the edge is left out
  std::int64_t count = 0;
  std::int64_t source_size = 0;
  std::int64_t target_size = 0;
  bool all = true;  ///< none is left out
};

/// Edges sorted by a key, stable: those of key k are [start[k], start[k + 1]).
struct SortedEdges {
  IndexBuffer start;
  IndexBuffer other;  ///< the other end of each, and kEdgePadding zeros; empty where that is its place
  IndexBuffer edge;   ///< the number of each; empty where that is its place
  std::int64_t keys = 0;
  std::int64_t count = 0;
  bool in_order = false;  ///< keys came in order, all of them: `edge` is empty

  std::int64_t other_of(std::int64_t i) const noexcept { return other.list() ? other[i] : i; }
  std::int64_t bytes() const noexcept { return start.bytes() + other.bytes() + edge.bytes(); }
};

/// Edges with a key below 0 are left out. Both lists are of one width, which those of the result have.
/// kOutOfMemory names `argument`, which says how many keys there are.
Result<SortedEdges> sort_edges(std::string_view argument, IndexBuffer& keys, IndexBuffer& others,
                               std::int64_t count, std::int64_t key_count, Executor& executor);

struct EdgeLists {
  std::int64_t source_size = 0;
  std::int64_t target_size = 0;
  std::int64_t given = 0;
  SortedEdges by_target;
  mutable std::atomic<const SortedEdges*> by_source = nullptr;
  mutable std::atomic<const IndexBuffer*> places =
      nullptr;  ///< for calls that ask for by_target.other, where empty

  ~EdgeLists() {
    delete by_source.load();
    delete places.load();
  }
};

struct EdgeAccess {
  static Result<Edges> sort(PairedEdges pairs, Executor& executor);
  static const SortedEdges& sorted(const Edges& edges) noexcept {
    return edges.reversed_ ? *edges.lists_->by_source.load() : edges.lists_->by_target;
  }
  /// SortedEdges::other, filled. Throws std::bad_alloc.
  static IndexList sources(const Edges& edges);
  /// The kernel of a call over these edges, whose sources it puts into the call where the kernel wants them.
  static EdgeFoldKernel kernel(DType dtype, EdgeFold& call, const Edges& edges);
};

}  // namespace strew
