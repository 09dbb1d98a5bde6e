// The write_indices of TensorScatter: checked and written out as one position per row of the update.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "index/check.h"
#include "strew/error.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew {

/// Of any TensorScatter: positions on the sequence axis, shape [batch, sequence_length], all in range.
/// `write_indices` (checked as a view) may be left out: zeros. Negative ones are rejected, and in linear mode
/// those whose update would pass the end of the cache.
Result<std::vector<std::int64_t>> expand_write_indices(const Plan& plan,
                                                       const std::optional<TensorView>& write_indices);

/// The error that rejects the write index of a batch (`InvalidIndex::position`); no memory is read.
tl::unexpected<Error> write_index_error(const Plan& plan, const InvalidIndex& bad);

}  // namespace strew
