// New tensors in memory that Strew keeps.
#pragma once

#include <c10/core/Allocator.h>

#include <cstdint>

namespace strew::aten {

/// Blocks of 1 MiB and more out of those that Strew keeps (strew/memory.h), smaller ones as torch makes them.
/// Tensors in such memory can be resized like any other.
c10::Allocator& kept_memory();

/// Whether torch takes all its memory on the CPU there. Not to be called by two threads at once.
void keep_all_memory(bool all);

}  // namespace strew::aten
