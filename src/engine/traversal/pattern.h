// One element again and again: what memory is filled with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/machine.h"
#include "core/parallel.h"
#include "strew/dtype.h"
#include "strew/view.h"

namespace strew {

/// Of elements that share bytes each in a byte is the element; strings have none.
class Pattern {
 public:
  Pattern(const void* element, DType dtype) noexcept;

  /// The element, as the first of those that follow it.
  const void* data() const noexcept { return bytes_.data(); }

  /// Writes whole elements, as many bytes as given; with non-temporal stores if so asked.
  void write(std::byte* to, std::int64_t bytes, bool non_temporal) const noexcept;

 private:
  static constexpr std::int64_t kBytes = 4096;
  alignas(kCacheLineBytes) std::array<std::byte, kBytes> bytes_;
};

/// Data of a functional scatter that a strategy takes part by part: dense, or one value for all.
class TakenData {
 public:
  /// Throws std::bad_alloc where they are one value.
  explicit TakenData(const TensorView& data);

  /// Copies some elements, which are whole bytes.
  void take(Range elements, std::byte* to) const noexcept;
  /// Where they lie; nullptr where they are one value.
  const std::byte* address() const noexcept { return value_ != nullptr ? nullptr : data_; }

 private:
  const std::byte* data_;
  std::int64_t width_;
  std::unique_ptr<const Pattern> value_;  // where it is one
};

}  // namespace strew
