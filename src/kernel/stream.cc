// Non-temporal stores, compiled once for each instruction set, and fills from a buffer that stays in L1.
#include "kernel/stream.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/stream.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "core/view_check.h"

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

Pattern::Pattern(const void* element, DType dtype) noexcept {
  const int bits = bit_width(dtype);
  auto width = static_cast<std::size_t>(std::max(bits / 8, 1));
  std::memcpy(bytes_.data(), element, width);
  if (bits < 8) {
    const unsigned first = std::to_integer<unsigned>(bytes_.front()) & ((1u << bits) - 1u);
    unsigned all = 0;
    for (int shift = 0; shift < 8; shift += bits) all |= first << shift;
    bytes_.front() = static_cast<std::byte>(all);
  }
  for (; width < bytes_.size(); width *= 2) std::memcpy(bytes_.data() + width, bytes_.data(), width);
}

void Pattern::write(std::byte* to, std::int64_t bytes, bool non_temporal) const noexcept {
  for (std::int64_t at = 0; at < bytes; at += kBytes) {
    const std::int64_t length = std::min(kBytes, bytes - at);
    if (non_temporal) {
      stream_copy()(to + at, bytes_.data(), length);
    } else {
      std::memcpy(to + at, bytes_.data(), static_cast<std::size_t>(length));
    }
  }
  if (non_temporal) stream_fence();
}

TakenData::TakenData(const TensorView& data)
    : data_(static_cast<const std::byte*>(data.data())), width_(bit_width(data.dtype()) / 8) {
  if (is_single_value(data)) value_ = std::make_unique<Pattern>(data.data(), data.dtype());
}

void TakenData::take(Range elements, std::byte* to) const noexcept {
  const std::int64_t bytes = (elements.end - elements.begin) * width_;
  if (value_ != nullptr) return value_->write(to, bytes, false);
  std::memcpy(to, data_ + elements.begin * width_, static_cast<std::size_t>(bytes));
}

}  // namespace strew
#endif
