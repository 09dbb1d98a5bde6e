// Runs Strew's tasks on torch's threads.
#pragma once

#include <cstdint>

#include "strew/executor.h"

namespace strew::aten {

/// Has torch.get_num_threads() threads, and one inside torch's own parallel code.
Executor& torch_threads() noexcept;

/// Returns the executor for a call of `elements` elements, as chosen by install(); nullptr for Strew's own. Uses
/// torch's threads only for sizes at which torch uses several: it waits for each, and a thread that does not get a
/// processor in time costs milliseconds.
Executor* executor_for(std::int64_t elements) noexcept;

}  // namespace strew::aten
