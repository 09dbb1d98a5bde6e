// Non-temporal stores for outputs larger than the caches, and fills with a repeated element. Non-temporal stores
// do not read a cache line before they overwrite it.
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

/// Copies bytes between ranges that do not overlap. Writes whole cache lines of `target` with non-temporal stores.
/// Other threads see these stores after `stream_fence`.
using StreamCopy = void (*)(std::byte* target, const std::byte* source, std::int64_t bytes);
StreamCopy stream_copy() noexcept;
void stream_fence() noexcept;

/// A buffer that repeats one element, to fill memory. Not for strings. A packed element repeats in every byte.
class Pattern {
 public:
  Pattern(const void* element, DType dtype) noexcept;

  const void* data() const noexcept { return bytes_.data(); }

  /// Writes `bytes` of whole elements, optionally with non-temporal stores.
  void write(std::byte* to, std::int64_t bytes, bool non_temporal) const noexcept;

 private:
  static constexpr std::int64_t kBytes = 4096;
  alignas(kCacheLineBytes) std::array<std::byte, kBytes> bytes_;
};

/// Data that a scatter copies part by part to a separate output. The data are dense, or one broadcast value.
class TakenData {
 public:
  /// Can throw std::bad_alloc if data are one value.
  explicit TakenData(const TensorView& data);

  /// Copies a range of elements. Elements must not share bytes.
  void take(Range elements, std::byte* to) const noexcept;
  /// The address of dense data; nullptr if they are one value.
  const std::byte* address() const noexcept { return value_ != nullptr ? nullptr : data_; }

 private:
  const std::byte* data_;
  std::int64_t width_;
  std::unique_ptr<const Pattern> value_;  // set if data are one value
};

}  // namespace strew
