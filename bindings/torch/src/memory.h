// Allocates new tensors from Strew's cache of memory.
#pragma once

#include <c10/core/Allocator.h>

#include <cstdint>

namespace strew::aten {

/// An allocator that takes blocks of 1 MiB and more from Strew's cache (strew/memory.h) and smaller ones from
/// torch. Tensors in such memory can be resized like any other.
c10::Allocator& kept_memory();

/// Selects whether torch allocates all CPU memory there. Not thread-safe.
void keep_all_memory(bool all);

}  // namespace strew::aten
