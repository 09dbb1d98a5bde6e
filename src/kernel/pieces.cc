// Copies of pieces, each size of a few vectors as a loop of its own.
#include "kernel/pieces.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/pieces.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void stream(std::byte* HWY_RESTRICT to, std::int64_t to_stride, const std::byte* HWY_RESTRICT from,
            std::int64_t from_stride, std::int64_t bytes, std::int64_t count) {
  const hn::CappedTag<std::uint8_t, 64> tag;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto* source = reinterpret_cast<const std::uint8_t*>(from + i * from_stride);
    auto* target = reinterpret_cast<std::uint8_t*>(to + i * to_stride);
    for (std::int64_t at = 0; at < bytes; at += lanes) {
      hn::Stream(hn::LoadU(tag, source + at), tag, target + at);
    }
  }
}

StreamPieces address() { return &stream; }

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
namespace {

// A processor does not foresee strides of several lines by itself. What is asked for is used once: it must not
// push anything out of the caches.
constexpr std::int64_t kFewestAhead = 24;
constexpr std::int64_t kBytesAhead = 4096;

struct Places {
  std::byte* to;
  std::int64_t to_stride;
  const std::byte* from;
  std::int64_t from_stride;
  std::int64_t count;
  std::int64_t ahead;  // bytes
};

template <std::size_t kBytes>
void copy_fixed(const Places& p) noexcept {
  for (std::int64_t i = 0; i < p.count; ++i) {
    __builtin_prefetch(p.from + i * p.from_stride + p.ahead, 0, 0);
    std::memcpy(p.to + i * p.to_stride, p.from + i * p.from_stride, kBytes);
  }
}

}  // namespace

void copy_pieces(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                 std::int64_t bytes, std::int64_t count) noexcept {
  if (to_stride == bytes && from_stride == bytes) {
    std::memcpy(to, from, static_cast<std::size_t>(count * bytes));
    return;
  }
  const std::int64_t ahead = std::max(kFewestAhead * from_stride, kBytesAhead);
  const Places places{to, to_stride, from, from_stride, count, ahead};
  switch (bytes) {
    case 4:
      return copy_fixed<4>(places);
    case 8:
      return copy_fixed<8>(places);
    case 16:
      return copy_fixed<16>(places);
    case 32:
      return copy_fixed<32>(places);
    case 64:
      return copy_fixed<64>(places);
    default:
      break;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + i * from_stride + ahead + at, 0, 0);
    std::memcpy(to + i * to_stride, from + i * from_stride, static_cast<std::size_t>(bytes));
  }
}

HWY_EXPORT(address);
StreamPieces stream_pieces() noexcept { return HWY_DYNAMIC_DISPATCH(address)(); }
}  // namespace strew
#endif
