// Streaming stores, compiled once for each instruction set.
#include "kernel/stream.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/stream.cc"
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

void stream(std::byte* HWY_RESTRICT target, const std::byte* HWY_RESTRICT source, std::int64_t bytes) {
  constexpr std::int64_t kLine = 64;
  const hn::CappedTag<std::uint8_t, kLine> tag;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(target) % kLine);
  std::int64_t at = std::min(misaligned == 0 ? 0 : kLine - misaligned, bytes);
  std::memcpy(target, source, static_cast<std::size_t>(at));
  const auto* from = reinterpret_cast<const std::uint8_t*>(source);
  auto* to = reinterpret_cast<std::uint8_t*>(target);
  for (; at + kLine <= bytes; at += kLine) {
    for (std::int64_t part = 0; part < kLine; part += lanes) {
      hn::Stream(hn::LoadU(tag, from + at + part), tag, to + at + part);
    }
  }
  std::memcpy(target + at, source + at, static_cast<std::size_t>(bytes - at));
}

StreamCopy address() { return &stream; }

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(address);
StreamCopy stream_copy() noexcept { return HWY_DYNAMIC_DISPATCH(address)(); }
void stream_fence() noexcept { hwy::FlushStream(); }
}  // namespace strew
#endif
