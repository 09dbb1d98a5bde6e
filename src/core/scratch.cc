// Scratch memory.
#include "core/scratch.h"

#include "core/block_cache.h"

namespace strew {

Scratch::Scratch(std::int64_t bytes) {
  if (bytes > 0) memory_ = static_cast<std::byte*>(take_memory(static_cast<std::size_t>(bytes)));
}

Scratch::~Scratch() {
  if (memory_ != nullptr) give_memory(memory_);
}

}  // namespace strew
