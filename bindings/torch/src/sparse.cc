#include <ATen/ExpandUtils.h>
#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/core/grad_mode.h>

#include <optional>
#include <utility>

#include "operators.h"
#include "thresholds.h"

namespace strew::aten {
namespace {

struct Compressed {
  const Tensor& starts;
  const Tensor& others;
  const Tensor& values;
  bool columns;

  explicit Compressed(const Tensor& matrix)
      : starts(impl(matrix).compressed_indices()),
        others(impl(matrix).plain_indices()),
        values(impl(matrix).values()),
        columns(matrix.layout() == at::kSparseCsc) {}

 private:
  static const at::SparseCsrTensorImpl& impl(const Tensor& matrix) {
    return *static_cast<const at::SparseCsrTensorImpl*>(matrix.unsafeGetTensorImpl());
  }
};

/// Checks the types, layouts, shapes, indices and size of a product. Returns kTaken if Strew should compute it.
Outcome fits(const Tensor& matrix, const Tensor& dense) {
  const bool sparse = matrix.layout() == at::kSparseCsr || matrix.layout() == at::kSparseCsc;
  if (!sparse || dense.layout() != at::kStrided || matrix.dim() != 2 || dense.dim() != 2) return Outcome::kShapes;
  if (const Outcome seen = readable(dense); seen != Outcome::kTaken) return seen;
  const Compressed of(matrix);
  const bool floats = is_half(dense) || dense.scalar_type() == at::kFloat || dense.scalar_type() == at::kDouble;
  if (!floats || of.values.scalar_type() != dense.scalar_type()) return Outcome::kDType;
  if (!of.values.is_contiguous() || !of.starts.is_contiguous() || !of.others.is_contiguous()) {
    return Outcome::kLayout;
  }
  if (matrix.size(1) != dense.size(0) || of.values.dim() != 1) return Outcome::kShapes;
  const std::int64_t columns = dense.size(1);
  const Bounds& bounds = of.columns ? kSparseColumnsBounds : kSparseRowsBounds;
  if (const Outcome seen = worth(bounds, of.values.numel() * columns, columns); seen != Outcome::kTaken) {
    return seen;
  }
  if (has_negative(of.others)) return Outcome::kIndexRange;
  return rows_together(dense, 1);
}

/// Makes an edge for each value of the matrix, from its plain to its compressed index; `reversed` swaps the two.
Result<Edges> build_edges(const Compressed& matrix, std::int64_t others, bool reversed) {
  const Options options = options_for(matrix.values.numel());
  auto edges = make_edges_from_csr(view(matrix.starts), view(matrix.others), others, options);
  if (!edges || !reversed) return edges;
  return edges->reversed(options);
}

/// Computes the product, plus `base` if given.
Outcome multiply(Tensor& product, const Tensor& matrix, const Tensor& dense, std::optional<TensorView> base) {
  const Compressed of(matrix);
  const auto edges = build_edges(of, matrix.size(of.columns ? 0 : 1), of.columns);
  if (!edges) return outcome_of(edges.error());
  return fold(product, dense, *edges, {.weight = view(of.values), .base = std::move(base)}, Reduction::kAdd);
}

}  // namespace

Outcome sparse_mm(Output& output, const Tensor& matrix, const Tensor& dense) {
  if (is_half(dense)) return Outcome::kDType;  // torch rejects float16 and bfloat16
  if (const Outcome seen = fits(matrix, dense); seen != Outcome::kTaken) return seen;
  return multiply(output.allocated(), matrix, dense, std::nullopt);
}

Outcome sparse_addmm(Output& output, const Tensor& self, const Tensor& matrix, const Tensor& dense,
                     const at::Scalar& beta, const at::Scalar& alpha) {
  if (!alpha.equal(1) || !(beta.equal(0) || beta.equal(1))) return Outcome::kAlpha;
  if (is_half(dense)) return Outcome::kDType;
  if (const Outcome seen = fits(matrix, dense); seen != Outcome::kTaken) return seen;
  const std::int64_t sizes[] = {matrix.size(0), dense.size(1)};
  if (self.layout() != at::kStrided || self.scalar_type() != dense.scalar_type()) return Outcome::kDType;
  if (!at::is_expandable_to(self.sizes(), sizes)) return Outcome::kShapes;
  if (beta.equal(0)) return multiply(output.allocated(), matrix, dense, std::nullopt);
  return multiply(output.allocated(), matrix, dense, view(self.expand(sizes)));
}

Outcome sparse_mm_reduce(Reduced& reduced, const Tensor& matrix, const Tensor& dense, std::string_view reduce) {
  const std::optional<Reduction> reduction = parse_reduction(reduce);
  if (!reduction || *reduction == Reduction::kMul) return Outcome::kReduction;
  if (matrix.layout() != at::kSparseCsr) return Outcome::kShapes;
  if (const Outcome seen = fits(matrix, dense); seen != Outcome::kTaken) return seen;
  const bool extreme = *reduction == Reduction::kMax || *reduction == Reduction::kMin;
  const Compressed of(matrix);
  const bool ones = all_ones(of.values);
  if (!ones && !extreme && !settings.weighted_reduce) return Outcome::kWeights;
  // torch does not round products of float16 and bfloat16, and rounds means twice.
  if (is_half(dense) && (!ones || *reduction == Reduction::kMean)) return Outcome::kDType;
  if (extreme && !ones) {
    const std::int64_t columns = dense.size(1);
    const Outcome seen = worth(kSparseExtremeBounds, of.values.numel() * columns, columns);
    if (seen != Outcome::kTaken) return seen;
  }
  const bool in_training = at::GradMode::is_enabled() && (matrix.requires_grad() || dense.requires_grad());
  const auto edges = build_edges(of, matrix.size(1), false);
  if (!edges) return outcome_of(edges.error());
  GatherScatterOperands operands;
  if (!ones) operands.weight = view(of.values);
  auto& [result, winners] = reduced;
  const bool needs_winners = extreme && in_training;
  const Outcome seen = fold(result, dense, *edges, operands, *reduction, needs_winners ? &winners : nullptr);
  if (seen != Outcome::kTaken) return seen;
  if (extreme && has_nan_or_infinity(result)) return Outcome::kNotFinite;
  winners = needs_winners ? winners.to(of.others.scalar_type()) : new_tensor({0}, of.others.scalar_type());
  return Outcome::kTaken;
}

Outcome sparse_mm_reduce_backward(Reduced& gradients, const Tensor& matrix, const Tensor& grad,
                                  const Tensor& dense, std::string_view reduce, const Tensor&,
                                  std::array<bool, 2> wanted) {
  if (reduce != "sum" || wanted[0] || !wanted[1]) return Outcome::kReduction;
  if (matrix.layout() != at::kSparseCsr || dense.dim() != 2) return Outcome::kShapes;
  const Compressed of(matrix);
  const bool ones = of.values.is_contiguous() && all_ones(of.values);
  if (!ones && !settings.weighted_reduce) return Outcome::kWeights;
  if (!ones && is_half(dense)) return Outcome::kDType;
  if (const Outcome seen = fits(matrix.t(), grad); seen != Outcome::kTaken) return seen;
  return multiply(std::get<1>(gradients), matrix.t(), grad, std::nullopt);
}

}  // namespace strew::aten
