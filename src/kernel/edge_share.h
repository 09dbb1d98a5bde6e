// Gradients of fused gather-scatter that are computed along the edges of each target: what share of a target's
// gradient each message has, and from it the gradients of weights and addends.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "kernel/edge_fold.h"
#include "strew/dtype.h"

namespace strew {

/// Of a maximum or minimum: which messages equal the result, for each element of it.
struct EdgeWinners {
  const void* gradient = nullptr;  ///< one row a target, as all others here
  const void* result = nullptr;
  /// The gradient divided by the number of messages that equal the result, or nullptr.
  void* shares = nullptr;
  bool count_zero = false;  ///< a result of 0 has one more
  /// The number of the first edge whose message has the result's bits, int32, or int64 of float64; or nullptr.
  void* first = nullptr;
};

/// `call` has the rows, lists and terms of the call whose gradient is wanted.
using EdgeWinnersKernel = void (*)(const EdgeFold& call, const EdgeWinners& winners, Range targets);
EdgeWinnersKernel edge_winners_kernel(DType dtype) noexcept;

/// The gradient of a message is its target's row of `shares` where it passes the mask, else 0.
struct EdgeShares {
  const void* shares = nullptr;   ///< one row a target
  const void* result = nullptr;   ///< as in EdgeMask
  const void* winners = nullptr;  ///< as in EdgeMask
  /// At the number of its edge: its products with the row of data, so many sums of them as EdgeDot adds; or all of
  /// them, for 0. Or nullptr.
  void* of_weight = nullptr;
  std::int64_t weight_sums = 0;
  void* of_addend = nullptr;  ///< the same without the products
  std::int64_t addend_sums = 0;
};

/// `scratch` has kEdgeScratchRows rows.
using EdgeSharesKernel = void (*)(const EdgeFold& call, const EdgeShares& shares, Range targets, void* scratch);
EdgeSharesKernel edge_shares_kernel(DType dtype) noexcept;
inline constexpr std::int64_t kEdgeScratchRows = 2;

}  // namespace strew
