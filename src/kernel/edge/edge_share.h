// Gradients of fused gather-scatter, computed along the edges of each target: the share of each message in the
// target's gradient, and the gradients of weights and addends that follow from the shares.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "kernel/edge/edge_fold.h"
#include "strew/dtype.h"

namespace strew {

/// Finds the messages that equal the result of a maximum or minimum. All arrays have a row for each target.
struct EdgeWinners {
  const void* gradient = nullptr;
  const void* result = nullptr;
  /// Receives the gradient divided by the number of messages that equal the result, or nullptr.
  void* shares = nullptr;
  bool count_zero = false;  ///< counts one more winner if the result is 0
  /// Receives the number (int64 for float64, else int32) of the first edge whose message has the result's bits.
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
  /// Receives the gradients of weights, at the number of each edge: the products of the message's gradient and the
  /// row of data, summed as EdgeDot does with `weight_sums` heads; 0: not summed. Or nullptr.
  void* of_weight = nullptr;
  std::int64_t weight_sums = 0;
  void* of_addend = nullptr;  ///< as of_weight for addends: the message's gradient itself
  std::int64_t addend_sums = 0;
};

/// `scratch` has kEdgeScratchRows rows.
using EdgeSharesKernel = void (*)(const EdgeFold& call, const EdgeShares& shares, Range targets, void* scratch);
EdgeSharesKernel edge_shares_kernel(DType dtype) noexcept;
inline constexpr std::int64_t kEdgeScratchRows = 2;

}  // namespace strew
