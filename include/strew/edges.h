// Edges of a graph, checked and sorted once for many calls of gather_scatter.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew {
struct EdgeLists;  // not exported
struct EdgeAccess;
}  // namespace strew

STREW_API_BEGIN
namespace strew {

/// The edges of a graph from source rows to target rows, for fused gather-scatter (generalised SpMM). Construction
/// checks and copies both index tensors and sorts the edges by target, which takes about as long as two calls.
/// Calls then do not check index values. Copies share memory. Several threads may use one object at once.
///
/// E edges and N targets need 8 * E + 4 * N bytes, or 4 * E + 4 * N if the given edges are sorted by target. The
/// first call of `reversed()` adds 8 * E + 4 * S for S sources. From 2^31 - 128 edges or rows on, sizes double.
class Edges {
 public:
  /// Number of edges that calls combine: the given edges, except edges dropped by OutOfBounds::kDrop.
  [[nodiscard]] std::int64_t count() const noexcept;
  /// Number of given edges, which is the length of the first axis of weights.
  [[nodiscard]] std::int64_t given_count() const noexcept;
  /// Number of rows of the gathered tensor (`source_size`) and of the result (`target_size`).
  [[nodiscard]] std::int64_t source_size() const noexcept;
  [[nodiscard]] std::int64_t target_size() const noexcept;
  /// True if the given edges were sorted by target.
  [[nodiscard]] bool sorted() const noexcept;
  /// Current size in bytes.
  [[nodiscard]] std::int64_t bytes() const noexcept;

  /// Returns the edges from targets to sources, for gradients. The first call sorts them. May return kOutOfMemory.
  [[nodiscard]] Result<Edges> reversed(const Options& options = {}) const;

  /// `sort` reorders a tensor with one row for each given edge into the order in which calls read it
  /// (`GatherScatterOperands::sorted`). `unsort` restores the given order, with zeros for dropped edges.
  [[nodiscard]] Result<Tensor> sort(const TensorView& values) const;
  [[nodiscard]] Result<Tensor> unsort(const TensorView& values) const;

  /// Return each edge's source, target, or position among the given edges, as int64 [count()], in the order of
  /// `sort`.
  [[nodiscard]] Result<Tensor> sources() const;
  [[nodiscard]] Result<Tensor> targets() const;
  [[nodiscard]] Result<Tensor> numbers() const;

 private:
  friend struct EdgeAccess;
  friend Result<Edges> make_edges(const TensorView&, const TensorView&, std::int64_t, std::int64_t,
                                  const IndexRules&, const Options&);
  friend Result<Edges> make_edges_from_csr(const TensorView&, const TensorView&, std::int64_t, const Options&);
  friend Result<Edges> make_edges_from_segments(const TensorView&, const Options&);
  Edges(std::shared_ptr<const EdgeLists> lists, bool reversed) : lists_(std::move(lists)), reversed_(reversed) {}
  std::shared_ptr<const EdgeLists> lists_;
  bool reversed_;
};

/// Returns the edges from row gather_index[e] to row scatter_index[e]. Both tensors have shape [E] and any integer
/// type. Index rules work as in gathers and scatters: kClip and kWrap change an index, kDrop drops the edge.
/// Errors: kIndexOutOfRange for the first bad value, kInvalidArgument for sizes and shapes.
[[nodiscard]] Result<Edges> make_edges(const TensorView& gather_index, const TensorView& scatter_index,
                                       std::int64_t source_size, std::int64_t target_size,
                                       const IndexRules& rules = {}, const Options& options = {});

/// Returns the edges of a CSR matrix; kInvalidArgument unless row_start begins with 0, never decreases and ends
/// with the edge count. Edges row_start[t] to row_start[t + 1] - 1 go to target t; edge e comes from row
/// column[e].
[[nodiscard]] Result<Edges> make_edges_from_csr(const TensorView& row_start, const TensorView& column,
                                                std::int64_t source_size, const Options& options = {});

/// Returns the edges of consecutive segments; kInvalidArgument unless row_start begins with 0 and never
/// decreases. Rows [row_start[t], row_start[t + 1]) go to target t. The last value is the number of source rows.
[[nodiscard]] Result<Edges> make_edges_from_segments(const TensorView& row_start, const Options& options = {});

}  // namespace strew
STREW_API_END
