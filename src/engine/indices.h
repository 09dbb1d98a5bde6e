// The index values of a call, and the facts known about them before use.
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
  IndexStatistics facts;  ///< of all values; if unchecked, the bounds that a check would enforce
  bool checked = false;   ///< false: they are checked during execution
  std::optional<IndexStatistics> likely = {};  ///< facts of a sample of unchecked values
  std::vector<std::int64_t> written_out = {};  ///< the expanded positions of a circular TensorScatter
  IndexOrder order = {};                       ///< order in a sample of many values
};

/// IndexTarget::segments for a check whose cuts a run may use: several only for a scatter with many updates, or if
/// `forced`.
std::int64_t choose_segment_count(const Plan& plan, bool forced = false) noexcept;

/// The index values of a call, with a sample of their order. Expands the start positions of a circular
/// TensorScatter, which checks them.
Result<Indices> prepare_indices(const Call& call);

/// Reads and checks every index value, unless that was done before or by the caller.
Status check_index_values(const Call& call, Indices& indices);

/// True if the rules map every value to a position of a non-empty axis.
bool accepts_all_values(const IndexRules& rules) noexcept;

/// True if index values may be read once, without a check before: they are many, each is used, no fact is needed
/// that only a check finds, and every axis has a position that a bad value can address.
bool may_stay_unchecked(const Call& call, const Indices& indices);

/// Takes the facts of a sample for index values that execution may check.
void sample_index_values(const Call& call, Indices& indices);

}  // namespace strew
