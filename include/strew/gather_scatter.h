// Fused gather-scatter: gathers, transforms and reduces rows along edges without storing the transformed rows.
#pragma once

#include <cstdint>
#include <optional>

#include "strew/edges.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/view.h"

STREW_API_BEGIN
namespace strew {

/// How the row of each edge becomes a message (times weight, plus addend, relu), and how messages are reduced.
struct GatherScatterParams {
  Reduction reduction = Reduction::kAdd;  ///< kAdd, kMean, kMax, kMin or kMul
  bool relu = false;                      ///< negative values become 0; -0 and NaN are unchanged
  /// kFloat32: reduces float16 and bfloat16 in float32, rounding the result once; messages have the type of data.
  AccDType acc_dtype = AccDType::kData;
};

/// Optional operands, of the type of data. `weight` and `addend` have a row for each of the E given edges: [E],
/// [E, heads], [E, columns] or any shape that, padded on the right with 1s, broadcasts to [E, *data.shape[1:]].
struct GatherScatterOperands {
  std::optional<TensorView> weight = std::nullopt;
  std::optional<TensorView> addend = std::nullopt;
  /// Initial values, [targets, *data.shape[1:]], which may be the output itself. A mean counts each initial value
  /// as a term. Without a base, the result of a target without edges is 0, or 1 for kMul, and sums start at +0.
  std::optional<TensorView> base = std::nullopt;
  /// True: weight and addend are results of `Edges::sort`.
  bool sorted = false;
};

/// Gathers the source row of each edge from data and reduces the messages of each target, in the given order of
/// edges. Returns [target_size, *data.shape[1:]]. The result has the same bits as if a gather, a product, a sum
/// and a scatter (a left fold) ran in sequence, for any number of threads: there are no fused multiply-adds.
/// Types: float32, float64, float16, bfloat16. Errors: kInvalidArgument for shapes, kInvalidType for types,
/// kUnsupported for reductions other than those above, and for winners of a target with 2^31 - 128 edges or more.
///
/// ```cpp
/// const auto edges = strew::make_edges(source, target, nodes, nodes);
/// const auto sums = strew::gather_scatter(features, *edges, {.weight = norm});
/// ```
[[nodiscard]] Result<Tensor> gather_scatter(const TensorView& data, const Edges& edges,
                                            const GatherScatterOperands& operands = {},
                                            const GatherScatterParams& params = {}, const Options& options = {});

/// As above, but overwrites `output`, which may be `base` but must not overlap another operand. For kMax and kMin,
/// `winners` (int64, shape of output) receives the index of the first edge that produced each element, or
/// `given_count()` if no edge did.
[[nodiscard]] Status gather_scatter_into(const TensorView& data, const Edges& edges,
                                         const GatherScatterOperands& operands, const GatherScatterParams& params,
                                         const MutableTensorView& output,
                                         const std::optional<MutableTensorView>& winners = std::nullopt,
                                         const Options& options = {});

/// As above, but for edges that are used once. Edge e goes from row gather_index[e] of data to row
/// scatter_index[e] of the output. Index rules and errors are as for make_edges. If rows are short, edges usually
/// stay unsorted.
[[nodiscard]] Status gather_scatter_into(const TensorView& data, const TensorView& gather_index,
                                         const TensorView& scatter_index, const GatherScatterOperands& operands,
                                         const GatherScatterParams& params, const MutableTensorView& output,
                                         const std::optional<MutableTensorView>& winners = std::nullopt,
                                         const IndexRules& rules = {}, const Options& options = {});

/// How messages that equal a maximum or minimum share its gradient. kShare: in equal parts. kFirst: the first gets
/// all. kShareWithZero: as kShare, but if the result is 0, an initial 0 counts as one more winner, and its
/// part is lost.
enum class Ties : std::uint8_t { kShare, kFirst, kShareWithZero };

/// The shapes of gradients. The gradient of data has the shape of data. Gradients of weight and addend are [edges]
/// for one number per edge, [edges, heads] for one per edge and head, and [edges, *data.shape[1:]] otherwise.
struct GatherScatterGradientShapes {
  Shape data;
  std::optional<Shape> weight = std::nullopt;
  std::optional<Shape> addend = std::nullopt;
};

/// Returns the shapes of the gradients of a call with these operands. Errors are as for gather_scatter.
[[nodiscard]] Result<GatherScatterGradientShapes> gather_scatter_gradient_shapes(
    const TensorView& data, const Edges& edges, const GatherScatterOperands& operands = {});

/// Outputs for gradients; a gradient without a view is not computed. gather_scatter_gradient_shapes returns their
/// shapes. The gradients of weight and addend may instead have the shape [edges, *data.shape[1:]].
struct GatherScatterGradients {
  std::optional<MutableTensorView> data = std::nullopt;
  std::optional<MutableTensorView> weight = std::nullopt;
  std::optional<MutableTensorView> addend = std::nullopt;
};

/// Computes the gradients of the operands of gather_scatter from `gradient`, the gradient of the result, without
/// storing messages. `result`, the output of gather_scatter, is needed for kMax and kMin. The gradient of a
/// message is the target's row of `gradient`: for kMean, divided by the number of edges; for kMax and kMin, shared
/// as `ties` says. A message's gradient is 0 if the message is 0 after relu or, for kMax and kMin, differs from
/// the result. Row i of the gradient of data is a left fold over the edges from row i of data, in the given order.
/// It adds, for each edge, the rounded product of the message's gradient and the edge's weight. The gradients of a
/// weight or addend that applies to several columns are summed in the order of edge_dot. Errors: kUnsupported for
/// kMul, `base` and `sorted`.
[[nodiscard]] Status gather_scatter_gradients(const TensorView& gradient, const TensorView& data,
                                              const Edges& edges, const GatherScatterOperands& operands,
                                              const GatherScatterParams& params,
                                              const std::optional<TensorView>& result, Ties ties,
                                              const GatherScatterGradients& outputs, const Options& options = {});

/// Returns, for each edge in the given order, the dot product of the edge's source row in `one` and its target row
/// in `other` (SDDMM). `one` is [source_size, *any] and `other` is [target_size, *any], with the same float type
/// and row shape. Rows are cut into `heads` equal parts. The result is [edges], or [edges, heads] if heads is not
/// 1; dropped edges yield 0. Every machine sums in the same order: lane j of 16 (float64: 8) adds the rounded
/// products of columns j, j + 16 (j + 8), ... Then the upper half of the lanes is repeatedly added to the lower
/// half until one lane remains. 16-bit floats are rounded once, at the end.
[[nodiscard]] Result<Tensor> edge_dot(const TensorView& one, const TensorView& other, const Edges& edges,
                                      std::int64_t heads = 1, const Options& options = {});

}  // namespace strew
STREW_API_END
