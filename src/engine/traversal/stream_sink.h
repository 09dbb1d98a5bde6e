// StreamSink: rows that are written one after the other, gathered in L1 and streamed out in
// lines.
#pragma once

#include <array>
#include <cstring>

#include "core/machine.h"
#include "core/thresholds.h"
#include "kernel/stream.h"

namespace strew {

class StreamSink {
 public:
  static constexpr std::int64_t kBytes = 6 << 10;
  /// Rows of more bytes than this are better streamed from where they lie.
  static constexpr std::int64_t kWideRow = kMaxPrefetchedRowBytes;

  explicit StreamSink(std::byte* target) noexcept : target_(target), stream_(stream_copy()) {}

  /// Where the next rows belong; there is room for `bytes` of them, at most kWideRow.
  std::byte* reserve(std::int64_t bytes) noexcept {
    if (filled_ + bytes > kBytes) flush_lines();
    return buffer_.data() + filled_;
  }
  /// Says that the bytes of the last `reserve` were written.
  void commit(std::int64_t bytes) noexcept { filled_ += bytes; }

  /// Writes a row that lies elsewhere; nothing may be held back.
  void pass(const std::byte* row, std::int64_t bytes) noexcept {
    stream_(target_, row, bytes);
    target_ += bytes;
  }

  /// Writes what is held back, and makes all of it visible.
  void finish() noexcept {
    stream_(target_, buffer_.data(), filled_);
    target_ += filled_;
    filled_ = 0;
    stream_fence();
  }

 private:
  // Up to the last line that is full; the rest stays, so that no line is written in two parts.
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
