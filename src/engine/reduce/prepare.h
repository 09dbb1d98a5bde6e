// Updates on their way to a fold: made float32, multiplied by alpha.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "kernel/kernel.h"
#include "kernel/widen.h"
#include "strew/dtype.h"
#include "strew/view.h"

namespace strew {

/// Hands rows of updates to kernels, of the type and value that they are folded as.
class Prepare {
 public:
  /// `folded`: the type that updates of type `dtype` are folded in, float32 where it is another. Throws
  /// std::bad_alloc where there is an alpha.
  Prepare(DType dtype, DType folded, std::int64_t row, const std::optional<TensorView>& alpha);

  /// Calls a kernel of the folded type for some rows; offsets count elements, of `source` in its own type. As in a
  /// Kernel, `source_offset` may be nullptr.
  void pass(Kernel kernel, void* target, const void* source, const std::int64_t* target_offset,
            const std::int64_t* source_offset, std::int64_t count) const;

 private:
  static constexpr std::size_t kBytes = 2048;  // of elements that are made at once
  struct alignas(64) Elements : std::array<std::byte, kBytes> {};

  void make(std::byte* made, const std::byte* source, const std::int64_t* offset, std::int64_t count,
            std::int64_t row) const;

  std::int64_t row_;
  std::int64_t width_;  // bytes of an element of updates
  std::int64_t most_;   // elements that are made at once
  const Widening* widening_;
  Kernel move_;                            // of the type of updates
  Kernel scale_ = nullptr;                 // of the folded type
  std::unique_ptr<const Elements> alpha_;  // again and again
};

}  // namespace strew
