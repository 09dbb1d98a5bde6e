// Strew's tasks on the threads of torch.
#pragma once

#include <cstdint>

#include "strew/executor.h"

namespace strew::aten {

/// As many threads as torch.get_num_threads() says; one inside torch's own parallel code.
Executor& torch_threads() noexcept;

/// Whose threads a call that moves so many elements runs on, as install() was told; nullptr for Strew's own. On
/// those of torch only from where torch itself takes several: it waits for each, and one that does not get a
/// processor in time costs milliseconds.
Executor* executor_for(std::int64_t elements) noexcept;

}  // namespace strew::aten
