// What is kept of checked indices, in device memory.
#pragma once

#include <cstdint>
#include <memory>

#include "cuda/layout.h"
#include "cuda/workspace.h"
#include "strew/experimental/cuda.h"

namespace strew::cuda {

struct Kept {
  TensorView indices;     ///< as the caller gave them; their memory is not read again
  Layout layout;          ///< of dense operands
  Buffers buffers;        ///< numbers, winners, sorted positions: those that the strategy needs
  bool distinct = false;  ///< no two positions have the same destination
  std::int64_t bytes = 0;
  void* memory = nullptr;

  explicit Kept(const TensorView& view) : indices(view) {}
  ~Kept();
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  /// Whether a call with this layout reads the same numbers from these indices.
  bool applies_to(const TensorView& view, const Layout& of_call) const;
};

}  // namespace strew::cuda
