// Checks operands of calls over edges, makes them contiguous, and converts weights and addends for kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "graph/edge_lists.h"
#include "kernel/edge/edge_kernels.h"
#include "strew/error.h"
#include "strew/gather_scatter.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/view.h"

namespace strew {

/// Returns a shape without its first axis.
Shape row_shape(const Shape& shape);

/// Checks the type and shape of data, which must have `source_size` rows.
Status check_data(const TensorView& data, std::int64_t source_size);
Status check_params(const GatherScatterParams& params, DType dtype, bool winners);
/// Checks the type and shape of an output, or of another argument that has the shape of the result.
Status check_result(std::string_view name, const TensorView& view, DType dtype, const Shape& shape);
/// Returns an error if a target has more edges than the 4-byte counters of winners and ties can count.
Status check_degrees(std::string_view name, const SortedEdges& edges);
Status check_overlap(std::string_view written, const TensorView& output, std::string_view name,
                     const std::optional<TensorView>& operand);

/// The elements of a view in contiguous memory, copied if necessary.
class Contiguous {
 public:
  explicit Contiguous(const TensorView& view);
  const void* data() const noexcept;

 private:
  std::optional<Tensor> copy_;
  const void* data_;
};

/// Contiguous memory for an output. If the output is not contiguous, finish() copies the memory to it.
class ContiguousOutput {
 public:
  explicit ContiguousOutput(const MutableTensorView& view);
  void* data() noexcept;
  void finish();

 private:
  const MutableTensorView& view_;
  std::optional<Tensor> made_;
  void* data_;
};

/// The division of rows into heads, for both the weight and the addend. Each head has `columns` columns.
struct TermLayout {
  std::int64_t heads = 1;
  std::int64_t columns = 0;
};

/// How the shape of a weight or an addend broadcasts.
struct TermForm {
  std::int64_t heads = 1;   ///< number of equal parts of a row; each part can have its own values
  std::int64_t values = 0;  ///< values per edge
  bool per_edge = false;    ///< each edge has its own values; otherwise all edges share them
  bool per_head = false;
  bool per_column = false;
  bool is_copied = false;  ///< expanded to one value per element, since no kernel supports the shape

  /// Fails if the values are not of type `dtype`, the type of data, or do not broadcast to [edges, *row].
  static Result<TermForm> of(std::string_view name, const TensorView& values, DType dtype, std::int64_t edges,
                             const Shape& row);
  void expand(const Shape& row);
  std::int64_t step() const noexcept { return per_edge ? values : 0; }
  /// Smallest shape of the term's gradient: one number per edge, one per head of each edge, or one row per edge.
  Shape gradient_shape(std::int64_t edges, const Shape& row) const;
};

/// The forms of both terms. If their numbers of heads differ and neither is 1, the addend is expanded.
struct TermForms {
  std::optional<TermForm> weight;
  std::optional<TermForm> addend;
  TermLayout layout;

  static Result<TermForms> of(const GatherScatterOperands& operands, DType dtype, std::int64_t edges,
                              const Shape& row);
};

/// A weight or an addend, and its copy if one is needed.
class EdgeValues {
 public:
  /// Copies values if they are not contiguous or the form requires it. Throws std::bad_alloc.
  EdgeValues(const TensorView& values, const TermForm& form, const Shape& row);
  const TermForm& form() const noexcept { return form_; }

  /// Returns the term for calls with `layout`, which must fit the form. If `sorted`, the values are already in the
  /// order of `edges`.
  EdgeTerm term(const TermLayout& layout, const SortedEdges& edges, bool sorted, Executor& executor);

 private:
  TermForm form_;
  TensorView values_;
  std::optional<Tensor> copy_;
  std::optional<Tensor> ordered_;
};

class EdgeTerms {
 public:
  /// Fails if a term does not broadcast to [edges, *row]. Throws std::bad_alloc.
  static Result<EdgeTerms> make(const GatherScatterOperands& operands, DType dtype, std::int64_t edges,
                                const Shape& row);
  const std::optional<EdgeValues>& weight() const noexcept { return weight_; }
  const std::optional<EdgeValues>& addend() const noexcept { return addend_; }

  /// Sets both terms and their layout in a call over `edges`. Terms that an earlier put_into set become invalid.
  void put_into(EdgeFold& call, const SortedEdges& edges, bool sorted, Executor& executor);

 private:
  std::optional<EdgeValues> weight_;
  std::optional<EdgeValues> addend_;
  TermLayout layout_;
};

/// Copies row edge[i] of `from` to row i of `to`, for i below `count`.
void take_rows(const void* from, IndexList edge, std::int64_t count, std::int64_t row, DType dtype, void* to,
               Executor& executor);

}  // namespace strew
