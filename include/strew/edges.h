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

/// The edges of a graph from source rows to target rows: what fused gather-scatter (the field says generalised
/// SpMM) needs to know of its two index tensors. Making one reads and checks both, and sorts the edges by target,
/// which takes the time of about two calls; a call with it reads and checks no index value. Copies share memory.
/// Several threads may use one at once.
///
/// It keeps what it needs: later changes of the index tensors do not concern it. Of E edges and N targets it takes
/// 8 * E + 4 * N bytes, half of the first where edges are sorted by target already, and as much again for
/// `reversed()` at its first use; twice that where edges or rows are 2^31 - 128 or more.
class Edges {
 public:
  /// The edges that calls fold: as many as were given, but for those that OutOfBounds::kDrop left out.
  [[nodiscard]] std::int64_t count() const noexcept;
  /// The number of edges given, which the first axis of weights has.
  [[nodiscard]] std::int64_t given_count() const noexcept;
  /// Rows of the tensor that is gathered from, and of the result.
  [[nodiscard]] std::int64_t source_size() const noexcept;
  [[nodiscard]] std::int64_t target_size() const noexcept;
  /// Whether the edges were given sorted by target.
  [[nodiscard]] bool sorted() const noexcept;
  /// The bytes that it takes now.
  [[nodiscard]] std::int64_t bytes() const noexcept;

  /// The same edges from targets to sources, as gradients need them. Sorted at the first use; kOutOfMemory.
  [[nodiscard]] Result<Edges> reversed(const Options& options = {}) const;

  /// Values with one row an edge, in the order in which calls read them (`GatherScatterOperands::sorted`), and
  /// back. Those of edges that were left out are lost, and come back as zero.
  [[nodiscard]] Result<Tensor> sort(const TensorView& values) const;
  [[nodiscard]] Result<Tensor> unsort(const TensorView& values) const;

  /// int64 [count()]: source, target and number of each edge in that order.
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

/// Edge e goes from row gather_index[e] to row scatter_index[e]. Both are of any integer type, [E], and the index
/// rules are those of gathers and scatters: kClip and kWrap change an index, kDrop leaves the edge out.
/// kIndexOutOfRange names the first bad value; kInvalidArgument sizes and shapes.
[[nodiscard]] Result<Edges> make_edges(const TensorView& gather_index, const TensorView& scatter_index,
                                       std::int64_t source_size, std::int64_t target_size,
                                       const IndexRules& rules = {}, const Options& options = {});

/// The edges of a matrix in compressed rows: those of target t are [row_start[t], row_start[t + 1]) and come from
/// the rows column[e]. They are sorted already. kInvalidArgument where row_start falls or does not end at the
/// length of `column`.
[[nodiscard]] Result<Edges> make_edges_from_csr(const TensorView& row_start, const TensorView& column,
                                                std::int64_t source_size, const Options& options = {});

/// Segments of rows that follow each other: rows [row_start[t], row_start[t + 1]) go to target t, and the last
/// value is the number of source rows. Calls of rows of one element read no list of sources; for others it is made
/// at the first one. kInvalidArgument where row_start falls or does not begin with 0.
[[nodiscard]] Result<Edges> make_edges_from_segments(const TensorView& row_start, const Options& options = {});

}  // namespace strew
STREW_API_END
