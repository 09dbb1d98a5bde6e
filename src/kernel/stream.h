// Non-temporal stores for outputs larger than the caches, and fills with a repeated element. Non-temporal stores
// do not read a cache line before they overwrite it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "core/machine.h"
#include "core/parallel.h"
#include "core/tuning.h"
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

/// Collects consecutive rows in L1 and writes whole cache lines with non-temporal stores.
class StreamSink {
 public:
  static constexpr std::int64_t kBytes = 6 << 10;
  /// Maximum bytes of a row that passes through the buffer. Longer rows are streamed from their source.
  static constexpr std::int64_t kWideRow = kMaxPrefetchedRowBytes;

  explicit StreamSink(std::byte* target) noexcept : target_(target), stream_(stream_copy()) {}

  /// Returns memory for the next `bytes` of rows, at most kWideRow.
  std::byte* reserve(std::int64_t bytes) noexcept {
    if (filled_ + bytes > kBytes) flush_lines();
    return buffer_.data() + filled_;
  }
  /// Commits the bytes of the last `reserve`.
  void commit(std::int64_t bytes) noexcept { filled_ += bytes; }

  /// Writes a row directly from its source. The buffer must be empty.
  void pass(const std::byte* row, std::int64_t bytes) noexcept {
    stream_(target_, row, bytes);
    target_ += bytes;
  }

  /// Writes the buffered bytes and makes all written bytes visible to other threads.
  void finish() noexcept {
    stream_(target_, buffer_.data(), filled_);
    target_ += filled_;
    filled_ = 0;
    stream_fence();
  }

 private:
  // Writes all full lines. The bytes of the last partial line stay in the buffer, so that each line is written
  // once.
  void flush_lines() noexcept {
    const auto rest =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(target_ + filled_) % kCacheLineBytes);
    const std::int64_t whole = filled_ - rest;
    stream_(target_, buffer_.data(), whole);
    target_ += whole;
    std::memmove(buffer_.data(), buffer_.data() + whole, static_cast<std::size_t>(rest));
    filled_ = rest;
  }

  std::byte* target_;
  StreamCopy stream_;
  std::int64_t filled_ = 0;
  alignas(kCacheLineBytes) std::array<std::byte, kBytes> buffer_;
};

}  // namespace strew
