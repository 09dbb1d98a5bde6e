// Allocates new tensors from Strew's memory cache, and runs tasks on torch's threads.
#pragma once

#include <c10/core/Allocator.h>

#include <cstdint>

#include "strew/executor.h"

namespace strew::aten {

/// Returns an allocator: blocks of 1 MiB and more come from Strew's cache (strew/memory.h), others from torch.
c10::Allocator& kept_memory();

/// Selects whether torch allocates all CPU memory with kept_memory(). Not thread-safe.
void keep_all_memory(bool all);

/// Returns an executor with torch.get_num_threads() threads, or with one thread inside torch's own parallel code.
Executor& torch_threads() noexcept;

/// Returns the executor for a call of `elements` elements, as chosen by install(); nullptr for Strew's own.
/// Chooses torch's threads only for sizes at which torch uses several threads: torch waits for all of them, and a
/// thread without a processor delays the call by milliseconds.
Executor* executor_for(std::int64_t elements) noexcept;

}  // namespace strew::aten
