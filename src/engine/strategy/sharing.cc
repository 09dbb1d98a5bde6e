// What strategies ask of a call to know whether they pay.
#include "engine/strategy/sharing.h"

#include <algorithm>
#include <cstdlib>

#include "engine/geometry/reach.h"
#include "engine/thresholds.h"

namespace strew {

bool worth_splitting(const Geometry& geometry) noexcept {
  // Operands of broadcast views can have more positions than memory has bytes: nothing may overflow.
  const std::int64_t positions = geometry.loop.count();
  return positions >= kParallelFrom || positions * (std::min(geometry.row, kParallelFrom) + 16) >= kParallelFrom;
}

std::string_view reason_to_stay_serial(const ChooseInput& input) noexcept {
  if (is_packed(input.geometry.dtype)) return "elements share bytes";
  if (!worth_splitting(input.geometry)) return "less work than waking a thread";
  return input.task_count == 1 ? "one thread" : "";
}

bool jumps_over(const ChooseInput& input, std::int64_t bytes) noexcept {
  if (input.order != IndexOrder::kJumps) return false;
  std::int64_t reached = input.geometry.row;
  bool first = true;
  for (const auto& component : input.geometry.components) {
    const std::int64_t far = first ? input.facts.highest - input.facts.lowest : component.extent - 1;
    reached += far * std::abs(component.stride);
    first = false;
  }
  return reached >= bytes / element_bytes(input.geometry);
}

}  // namespace strew
