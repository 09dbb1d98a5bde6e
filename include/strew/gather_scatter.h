// Fused gather-scatter: rows are gathered along edges, changed, and reduced into target rows; the messages between
// are never in memory.
#pragma once

#include <cstdint>
#include <optional>

#include "strew/edges.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/tensor.h"
#include "strew/view.h"

STREW_API_BEGIN
namespace strew {

/// What happens to the row of each edge, in this order: times weight, plus addend, relu, reduction.
struct GatherScatterParams {
  Reduction reduction = Reduction::kAdd;  ///< kAdd, kMean, kMax, kMin or kMul
  bool relu = false;                      ///< negative values become 0; -0 and a NaN stay
  /// kFloat32: float16 and bfloat16 are summed in float32 and the result is rounded once; products and sums with
  /// the addend are rounded to the type all the same, as operators of their own would.
  AccDType acc_dtype = AccDType::kData;
};

/// Operands beside the data, of their type. `weight` and `addend` have a first axis of the edges that were given
/// and broadcast to [edges, *data.shape[1:]], padded on the right with 1s: [E], [E, heads] or [E, columns].
struct GatherScatterOperands {
  std::optional<TensorView> weight = std::nullopt;
  std::optional<TensorView> addend = std::nullopt;
  /// [targets, *data.shape[1:]], which the reduction starts from (a mean counts it as a term). Without it a target
  /// without edges is 0, or 1 for kMul, and sums start at +0. It may be the output itself.
  std::optional<TensorView> base = std::nullopt;
  /// Weight and addend are in the order of `Edges::sort`.
  bool sorted = false;
};

/// The reduction over edges, in the order in which they were given, of the rows of data that they come from:
/// [target_size, *data.shape[1:]]. The bits are those of a gather, a product, a sum and a scatter one after the
/// other (each rounded to the type; no fused multiply-add; a left fold), for any number of threads. Float32,
/// float64, float16 and bfloat16. kInvalidArgument names a shape that does not fit, kInvalidType a type,
/// kUnsupported a reduction that is none of the five, or winners of a target with 2^31 - 128 edges or more.
///
/// ```cpp
/// const auto edges = strew::make_edges(source, target, nodes, nodes);
/// const auto sums = strew::gather_scatter(features, *edges, {.weight = norm});
/// ```
[[nodiscard]] Result<Tensor> gather_scatter(const TensorView& data, const Edges& edges,
                                            const GatherScatterOperands& operands = {},
                                            const GatherScatterParams& params = {}, const Options& options = {});

/// The same into `output`, all of which is overwritten. It may be `base`, and overlaps no other operand.
/// `winners`, int64 of the shape of the output, is for kMax and kMin: the first edge that gave each element, or
/// the number of edges given where none did.
[[nodiscard]] Status gather_scatter_into(const TensorView& data, const Edges& edges,
                                         const GatherScatterOperands& operands, const GatherScatterParams& params,
                                         const MutableTensorView& output,
                                         const std::optional<MutableTensorView>& winners = std::nullopt,
                                         const Options& options = {});

/// The same along edges that are used once: from row gather_index[e] of data to row scatter_index[e] of the
/// output. Index rules and errors are those of make_edges. Edges are sorted where that takes less time than it
/// saves: not for short rows.
[[nodiscard]] Status gather_scatter_into(const TensorView& data, const TensorView& gather_index,
                                         const TensorView& scatter_index, const GatherScatterOperands& operands,
                                         const GatherScatterParams& params, const MutableTensorView& output,
                                         const std::optional<MutableTensorView>& winners = std::nullopt,
                                         const IndexRules& rules = {}, const Options& options = {});

/// Which of the messages that equal a maximum or minimum have its gradient: each an equal share; or the first that
/// gave it; or a share where a result of 0 counts as one message more, as in a reduction into zeros.
enum class Ties : std::uint8_t { kShare, kFirst, kShareWithZero };

/// Where gradients are written, all of them; those without a view are not computed. That of data has its shape.
/// Those of weight and addend are [edges], or [edges, heads], where the term has one number for each edge or head;
/// any term's may be [edges, *data.shape[1:]], to be summed along the axes that it was broadcast along.
struct GatherScatterGradients {
  std::optional<MutableTensorView> data = std::nullopt;
  std::optional<MutableTensorView> weight = std::nullopt;
  std::optional<MutableTensorView> addend = std::nullopt;
};

/// From `gradient`, that of the result of gather_scatter, those of its operands; no message is made. `result`,
/// what gather_scatter gave, is needed for kMax and kMin. A message has the gradient of its target (of a mean
/// divided by the number of edges) where relu and the maximum let it pass, else 0. The gradient of data is a left
/// fold, over the edges of a source in the order in which they were given, of these times weight, each rounded;
/// sums of those of weight and addend along a row are in the order of edge_dot. kUnsupported for kMul, `base` and
/// `sorted`.
[[nodiscard]] Status gather_scatter_gradients(const TensorView& gradient, const TensorView& data,
                                              const Edges& edges, const GatherScatterOperands& operands,
                                              const GatherScatterParams& params,
                                              const std::optional<TensorView>& result, Ties ties,
                                              const GatherScatterGradients& outputs, const Options& options = {});

/// For each edge, in the order in which they were given, the dot product of row gather_index[e] of `one` and row
/// scatter_index[e] of `other` (the field says SDDMM): the gradient of a weight. Rows are [rows, *any] of the same
/// float type and shape; with `heads` they are cut into so many parts of equal length. The result is [edges], or
/// [edges, heads] where heads is not 1; edges that were left out have 0. The order of a sum is defined, and the
/// same on every machine: 16 lanes of float32 (8 of float64), lane j adds the products of columns j, j + 16, ...
/// in order, each rounded; then the upper half of the lanes is added to the lower until one is left. Narrow floats
/// are rounded once, at the end.
[[nodiscard]] Result<Tensor> edge_dot(const TensorView& one, const TensorView& other, const Edges& edges,
                                      std::int64_t heads = 1, const Options& options = {});

}  // namespace strew
STREW_API_END
