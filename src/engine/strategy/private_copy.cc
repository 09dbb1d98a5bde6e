// Updating a private copy of data. It is not visible before all index values were found to be good, so they are
// read once.
#include "engine/strategy/private_copy.h"

#include <cstring>

#include "core/scratch.h"
#include "engine/geometry/reach.h"
#include "engine/thresholds.h"
#include "engine/traversal/pattern.h"

namespace strew {

Verdict consider_private_copy(const ChooseInput& input) {
  if (input.copied == 0) return Verdict::never("no dense data are copied to a dense output");
  if (!moves_bytes(input.geometry)) return Verdict::never("elements are not whole bytes");
  const std::int64_t width = bit_width(input.geometry.dtype) / 8;
  Choice choice{{StrategyKind::kPrivateCopy, 1, {}}};
  choice.copies_data = true;
  choice.scratch_bytes = whole_lines(input.copied * width);
  const auto no = [&](std::string_view reason) { return Verdict{choice, false, reason}; };
  const std::int64_t indices = index_values_read(input.geometry);
  if (input.output_is_new) return no("the output is new: it needs no copy of its own");
  if (input.copied > private_copy_bytes() / width) return no("data do not fit the cache");
  if (indices < private_copy_from() || indices < input.copied * width / kCopiedPerIndex) {
    return no("few updates: to read the indices twice takes no longer than a copy");
  }
  return {choice, true, "data are small and indices many: they are read once"};
}

void run_private_copy(const Work& work, const Choice&, Executor&) {
  const auto bytes = static_cast<std::size_t>(work.copied_count * (bit_width(work.geometry.dtype) / 8));
  work.copied->take({0, work.copied_count}, work.scratch);
  Work here = work;
  here.target = work.scratch;
  run_all(here);
  if (!work.resolver.any_out_of_bounds()) std::memcpy(work.target, work.scratch, bytes);
}

}  // namespace strew
