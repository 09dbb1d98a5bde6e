// Strew's tasks on the threads of torch.
#pragma once

#include "strew/executor.h"

namespace strew::aten {

/// As many threads as torch.get_num_threads() says; one inside torch's own parallel code.
Executor& torch_threads() noexcept;

}  // namespace strew::aten
