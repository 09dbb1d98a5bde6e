// What Edges keeps: the edges in the order of their targets, and of their sources once it is needed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "core/parallel.h"
#include "strew/edges.h"
#include "strew/error.h"
#include "strew/tensor.h"

namespace strew {

/// int32 elements, uninitialised, in memory of the block cache.
class IndexBuffer {
 public:
  IndexBuffer() noexcept = default;
  /// Throws std::bad_alloc.
  explicit IndexBuffer(std::int64_t count);
  std::int32_t* data() noexcept { return static_cast<std::int32_t*>(memory_.mutable_data()); }
  const std::int32_t* data() const noexcept { return static_cast<const std::int32_t*>(memory_.data()); }
  std::int64_t bytes() const noexcept { return memory_.size_bytes(); }

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
  IndexBuffer other;  ///< the other end of each, and kEdgePadding zeros
  IndexBuffer edge;   ///< the number of each; empty where that is its place
  std::int64_t keys = 0;
  std::int64_t count = 0;
  bool in_order = false;  ///< keys came in order, all of them: `edge` is empty

  const std::int32_t* edges() const noexcept { return in_order ? nullptr : edge.data(); }
  std::int64_t bytes() const noexcept { return start.bytes() + other.bytes() + edge.bytes(); }
};

/// Edges with a key below 0 are left out. `keys` and `others` are as long as each other, fewer than 2^31. Throws
/// std::bad_alloc.
SortedEdges sort_edges(std::span<const std::int32_t> keys, std::span<const std::int32_t> others,
                       std::int64_t key_count, Executor& executor);

struct EdgeLists {
  std::int64_t source_size = 0;
  std::int64_t target_size = 0;
  std::int64_t given = 0;
  SortedEdges by_target;
  mutable std::atomic<const SortedEdges*> by_source = nullptr;

  ~EdgeLists() { delete by_source.load(); }
};

struct EdgeAccess {
  static Edges sort(PairedEdges pairs, Executor& executor);
  static const SortedEdges& sorted(const Edges& edges) noexcept {
    return edges.reversed_ ? *edges.lists_->by_source.load() : edges.lists_->by_target;
  }
};

}  // namespace strew
