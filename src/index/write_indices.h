// Checks the write_indices of TensorScatter and expands them to one position for each row of the update.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "index/check.h"
#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew {

STREW_API_BEGIN
/// Returns the positions on the sequence axis, shape [batch, sequence_length], all in range. `write_indices` (a
/// checked view) is zeros if absent. Rejects negative values and, in linear mode, values at which the update would
/// pass the end of the cache.
Result<std::vector<std::int64_t>> expand_write_indices(const Plan& plan,
                                                       const std::optional<TensorView>& write_indices);
STREW_API_END

/// Returns the error that rejects the write index of a batch (`InvalidIndex::position`), without reading memory.
tl::unexpected<Error> write_index_error(const Plan& plan, const InvalidIndex& bad);

}  // namespace strew
