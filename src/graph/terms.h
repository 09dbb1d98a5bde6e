// Weights and addends of edges, broadcast as the kernels read them.
#pragma once

#include <optional>

#include "core/parallel.h"
#include "graph/edge_lists.h"
#include "kernel/edge_fold.h"
#include "strew/error.h"
#include "strew/gather_scatter.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew {

/// Rows cut into heads, as both terms need it.
struct TermLayout {
  std::int64_t heads = 1;
  std::int64_t columns = 0;
};

/// A weight or an addend, with the copy that it needed.
class EdgeValues {
 public:
  /// Values of the type of data that broadcast to [edges] ++ row. Throws std::bad_alloc.
  static Result<EdgeValues> make(std::string_view name, const TensorView& values, DType dtype, std::int64_t edges,
                                 const Shape& row);

  /// Whether one number, or one for each head, or one for each column stands for a row: heads of more than one way
  /// do not go together, where this one is then copied whole.
  bool fits(const TermLayout& layout) const noexcept { return heads_ == 1 || heads_ == layout.heads; }
  std::int64_t heads() const noexcept { return heads_; }
  /// Whether each edge, or each head of it, has one number.
  bool one_each() const noexcept { return !per_column_ && values_.shape()[0] != 1; }
  void expand();

  /// For calls of this layout, which must fit. `order`: the edges' numbers in the order of the call, or nullptr.
  EdgeTerm term(const TermLayout& layout, const SortedEdges& edges, bool sorted, Executor& executor);

 private:
  TensorView values_{nullptr, DType::kFloat32, {0}};
  Shape row_;
  std::optional<Tensor> copy_;
  std::optional<Tensor> ordered_;
  std::int64_t heads_ = 1;
  std::int64_t edge_ = 0;  // elements from edge to edge
  bool per_column_ = false;
  bool per_head_ = false;
};

/// The weight and the addend of a call.
class EdgeTerms {
 public:
  /// Rejects what does not broadcast to [edges] ++ row. Throws std::bad_alloc.
  static Result<EdgeTerms> make(const GatherScatterOperands& operands, DType dtype, std::int64_t edges,
                                const Shape& row);
  const std::optional<EdgeValues>& weight() const noexcept { return weight_; }
  const std::optional<EdgeValues>& addend() const noexcept { return addend_; }

  /// Puts both and their layout into a call over these edges. A call before it loses them.
  void put_into(EdgeFold& call, const SortedEdges& edges, bool sorted, Executor& executor);

 private:
  std::optional<EdgeValues> weight_;
  std::optional<EdgeValues> addend_;
  TermLayout layout_;
};

/// Rows `from[edge[i]]`, one after the other.
void take_rows(const void* from, IndexList edge, std::int64_t count, std::int64_t row, DType dtype, void* to,
               Executor& executor);

}  // namespace strew
