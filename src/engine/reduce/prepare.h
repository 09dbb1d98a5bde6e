// Prepares updates for a fold: widens them to float32 and multiplies them by alpha.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "kernel/kernel.h"
#include "strew/dtype.h"
#include "strew/view.h"

namespace strew {

class Prepare {
 public:
  /// `folded`: the type in which updates are combined, `dtype` or float32. Can throw std::bad_alloc with an alpha.
  Prepare(DType dtype, DType folded, std::int64_t row, const std::optional<TensorView>& alpha);

  /// Calls a kernel of the folded type for `count` rows. Source offsets count elements of the type of updates;
  /// nullptr means the same as for a Kernel.
  void pass(Kernel kernel, void* target, const void* source, const std::int64_t* target_offset,
            const std::int64_t* source_offset, std::int64_t count) const;

 private:
  static constexpr std::size_t kBytes = 2048;  // size of the prepared elements
  struct alignas(64) Elements : std::array<std::byte, kBytes> {};

  void make(std::byte* to, const std::byte* source, const std::int64_t* offset, std::int64_t count,
            std::int64_t row) const;

  std::int64_t row_;
  std::int64_t width_;  // element size of updates
  std::int64_t most_;   // maximum number of elements prepared at a time
  const Widening* widening_;
  Kernel move_;                            // copies elements of the type of updates
  Kernel scale_ = nullptr;                 // multiplies in the folded type
  std::unique_ptr<const Elements> alpha_;  // alpha, repeated
};

}  // namespace strew
