// Chooses the strategy of a call on a device. Has no side effects.
#pragma once

#include <array>
#include <string_view>

#include "cuda/layout.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {

/// Whether a strategy applies to a call, and why.
struct Verdict {
  DeviceStrategy kind;
  bool applies;
  std::string_view reason;
  bool pays = true;  ///< false if a later strategy is better
};

/// Returns all strategies, in order of preference: the first that applies and pays is chosen.
std::array<Verdict, 6> consider(const Plan& plan, const Layout& layout, const DeviceOptions& options);

/// Returns the chosen strategy; kUnsupported if a forced strategy does not apply, or if no strategy applies.
Result<Verdict> choose(const Plan& plan, const Layout& layout, const DeviceOptions& options);

}  // namespace strew::cuda
