// Gradients of fused gather-scatter, computed along the edges of each target: the share of each message in the
// target's gradient, and the gradients of weights and addends that follow from the shares.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "kernel/edge/edge_fold.h"
#include "strew/dtype.h"

namespace strew {

/// Finds, for each element, the messages that equal the result of a maximum or minimum.
struct EdgeWinners {
  const void* gradient = nullptr;  ///< as all members, one row for each target
  const void* result = nullptr;
  /// Receives the gradient divided by the number of messages that equal the result, or nullptr.
  void* shares = nullptr;
  bool count_zero = false;  ///< counts one more winner if the result is 0
  /// Receives the number of the first edge whose message has the bits of the result: int32, or int64 for float64.
  /// Or nullptr.
  void* first = nullptr;
};

/// `call` is the forward call.
using EdgeWinnersKernel = void (*)(const EdgeFold& call, const EdgeWinners& winners, Range targets);
EdgeWinnersKernel edge_winners_kernel(DType dtype) noexcept;

/// The gradient of a message is its target's row of `shares` if it passes the mask, else 0.
struct EdgeShares {
  const void* shares = nullptr;   ///< one row for each target
  const void* result = nullptr;   ///< as in EdgeMask
  const void* winners = nullptr;  ///< as in EdgeMask
  /// Receives the gradients of weights, at the number of each edge, or nullptr: the products of the message's
  /// gradient and the row of data, summed as by EdgeDot for `weight_sums` heads, or unsummed for 0.
  void* of_weight = nullptr;
  std::int64_t weight_sums = 0;
  void* of_addend = nullptr;  ///< receives the gradients of addends likewise, without the factor data
  std::int64_t addend_sums = 0;
};

/// `scratch` has kEdgeScratchRows rows.
using EdgeSharesKernel = void (*)(const EdgeFold& call, const EdgeShares& shares, Range targets, void* scratch);
EdgeSharesKernel edge_shares_kernel(DType dtype) noexcept;
inline constexpr std::int64_t kEdgeScratchRows = 2;

}  // namespace strew
