// The index values of a call: where they lie and what is known of them, before they are used.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/operands.h"
#include "index/check.h"

namespace strew {

struct Indices {
  const void* values = nullptr;
  DType dtype = DType::kInt64;
  Shape strides;
  IndexStatistics facts;                       ///< of every value; of unchecked ones what a check would let pass
  bool checked = true;                         ///< false: they will be checked while they are used
  std::optional<IndexStatistics> likely = {};  ///< of unchecked values: what a sample says
  std::vector<std::int64_t> written_out = {};  ///< the positions of a circular TensorScatter
  IndexOrder order = {};                       ///< what a sample of many values says
};

/// IndexTarget::segments of a check whose cuts some run may have use for: only a scatter that is shared has, which
/// has many updates or is `forced`.
std::int64_t segments_of(const Plan& plan, bool forced = false) noexcept;

/// Reads and checks every index value, but for those that the caller has had checked.
Result<Indices> check_index_values(const Call& call);

/// Whether the rules know a position for every value, as long as axes have one.
bool accepts_all_values(const IndexRules& rules) noexcept;

/// Whether index values may be read once, without a check before: there are many, each of them will be used,
/// nothing is asked of them that only a check can tell, and every axis has a position that a bad one can stand
/// for.
bool may_stay_unchecked(const Call& call);

/// Index values that will be checked while they are used.
Indices unchecked_indices(const Call& call);

}  // namespace strew
