// Computes products of a sparse matrix (CSR or CSC) and a dense matrix.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "tensors.h"

namespace strew::aten {

Outcome sparse_mm(Output& output, const Tensor& matrix, const Tensor& dense);

/// Computes `beta * self + alpha * (matrix @ dense)`.
Outcome sparse_addmm(Output& output, const Tensor& self, const Tensor& matrix, const Tensor& dense,
                     const at::Scalar& beta, const at::Scalar& alpha);

/// The result and, for gradients of maxima and minima, the position of each element's winner among the values.
using Reduced = std::tuple<Tensor, Tensor>;
Outcome sparse_mm_reduce(Reduced& reduced, const Tensor& matrix, const Tensor& dense, std::string_view reduce);

/// Computes the gradient of `dense`, for sums only.
Outcome sparse_mm_reduce_backward(Reduced& gradients, const Tensor& matrix, const Tensor& grad,
                                  const Tensor& dense, std::string_view reduce, const Tensor& winners,
                                  std::array<bool, 2> wanted);

}  // namespace strew::aten
