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

/// What the shape of a weight or an addend says of it.
struct TermForm {
  std::int64_t heads = 1;   ///< into how many a row is cut, each with one number or one row of them
  std::int64_t values = 0;  ///< of an edge
  bool per_edge = false;    ///< each edge has its own; else all have the same
  bool per_head = false;
  bool per_column = false;
  bool is_copied = false;  ///< to a value for each element: there is no loop over what it has

  /// Rejects values that are not of the type of data, or do not broadcast to [edges] ++ row.
  static Result<TermForm> of(std::string_view name, const TensorView& values, DType dtype, std::int64_t edges,
                             const Shape& row);
  void expand(const Shape& row);
  std::int64_t step() const noexcept { return per_edge ? values : 0; }
  /// The least that its gradient can be: a number for each edge, or for each head of it, or a row for each edge.
  Shape gradient_shape(std::int64_t edges, const Shape& row) const;
  bool has_one_each() const noexcept { return per_edge && !per_column; }
};

/// The forms of both terms, which go together: where their heads differ, the addend is copied.
struct TermForms {
  std::optional<TermForm> weight;
  std::optional<TermForm> addend;
  TermLayout layout;

  static Result<TermForms> of(const GatherScatterOperands& operands, DType dtype, std::int64_t edges,
                              const Shape& row);
};

/// A weight or an addend, with the copy that it needed.
class EdgeValues {
 public:
  /// Values of this form. Throws std::bad_alloc.
  EdgeValues(const TensorView& values, const TermForm& form, const Shape& row);
  const TermForm& form() const noexcept { return form_; }

  /// For calls of this layout, which must fit. `order`: the edges' numbers in the order of the call, or nullptr.
  EdgeTerm term(const TermLayout& layout, const SortedEdges& edges, bool sorted, Executor& executor);

 private:
  TermForm form_;
  TensorView values_;
  std::optional<Tensor> copy_;
  std::optional<Tensor> ordered_;
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
