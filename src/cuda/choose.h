// Choosing how a call is done on a device. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cuda/layout.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {

/// What a strategy says of a call.
struct Verdict {
  DeviceStrategy kind;
  bool applies;
  std::string_view reason;
  bool pays = true;  ///< or something after it will do better
};

/// All strategies, in the order in which they are asked: the first that applies and pays is taken.
std::array<Verdict, 6> consider(const Plan& plan, const Layout& layout, const DeviceOptions& options);

/// kUnsupported where a forced one does not apply, or none does.
Result<Verdict> choose(const Plan& plan, const Layout& layout, const DeviceOptions& options);

}  // namespace strew::cuda
