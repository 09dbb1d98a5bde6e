// StreamSink: collects consecutive rows in L1 and writes whole cache lines with non-temporal stores.
#pragma once

#include <array>
#include <cstring>

#include "core/machine.h"
#include "core/tuning.h"
#include "kernel/stream.h"

namespace strew {

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
