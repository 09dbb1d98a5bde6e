// Gradients of fused gather-scatter, computed along the edges of each target: first the share of each message in
// the target's gradient, then the gradients of weights and addends.
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

/// The gradient of a message equals the target's row of `shares` in elements that pass the mask, and 0 in others.
struct EdgeShares {
  const void* shares = nullptr;   ///< one row for each target
  const void* result = nullptr;   ///< see EdgeMask::result
  const void* winners = nullptr;  ///< see EdgeMask::winners
  /// If set, receives the gradient of each edge's weight at the number of the edge: the product of the message's
  /// gradient and the row of data, summed as EdgeDot does with `weight_sums` heads unless `weight_sums` is 0.
  void* of_weight = nullptr;
  std::int64_t weight_sums = 0;
  void* of_addend = nullptr;  ///< if set, receives the gradients of addends: the gradients of messages
  std::int64_t addend_sums = 0;
};

/// `scratch` has kEdgeScratchRows rows.
using EdgeSharesKernel = void (*)(const EdgeFold& call, const EdgeShares& shares, Range targets, void* scratch);
EdgeSharesKernel edge_shares_kernel(DType dtype) noexcept;
inline constexpr std::int64_t kEdgeScratchRows = 2;

}  // namespace strew
