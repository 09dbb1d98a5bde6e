// The copy of data that a functional scatter starts with: alone, or block by block together with the updates.
#pragma once

#include <vector>

#include "core/parallel.h"
#include "engine/tasks.h"
#include "strew/view.h"

namespace strew {

/// Copies data into an output of the same type and shape.
void copy_data(const TensorView& data, const MutableTensorView& output, LazyExecutor executor);

/// Memory for `run_copy_blocks`, one part for each task; throws std::bad_alloc.
class BlockScratch {
 public:
  BlockScratch(std::int64_t parts, std::int64_t bytes);
  std::byte* part(std::int64_t i) const noexcept;

 private:
  std::vector<std::byte> memory_;
  std::int64_t bytes_;
};

/// kCopyBlocks: each task takes some blocks of data into its scratch, applies their updates there and streams them
/// out. `data_count` elements in all, those of a block as many as the data stride of the chosen axis.
void run_copy_blocks(const Work& work, const Choice& choice, const void* data, std::int64_t data_count,
                     const BlockScratch& scratch, Executor& executor);

}  // namespace strew
