// Results of a check of indices, kept in device memory.
#pragma once

#include <cstdint>

#include "cuda/layout.h"
#include "cuda/workspace.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {

struct Kept {
  TensorView indices;     ///< the caller's view; its memory is not read again
  Layout layout;          ///< layout of dense operands
  Buffers buffers;        ///< numbers, winners and sorted positions, as the strategy needs
  bool distinct = false;  ///< all destinations are distinct
  std::int64_t bytes = 0;
  void* memory = nullptr;

  explicit Kept(const TensorView& view) : indices(view) {}
  ~Kept();
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  /// True if a call with layout `of_call` and indices `view` uses the same numbers.
  bool applies_to(const TensorView& view, const Layout& of_call) const;
};

}  // namespace strew::cuda
