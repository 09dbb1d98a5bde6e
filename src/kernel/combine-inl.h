// The loop that all reductions share, for one instruction set after the other. An operation `f` is a function
// object: f(T current, T update) -> T.
#if defined(STREW_COMBINE_INL_H) == \
    defined(HWY_TARGET_TOGGLE)  // once for each time that foreach_target.h includes
#ifdef STREW_COMBINE_INL_H
#undef STREW_COMBINE_INL_H
#else
#define STREW_COMBINE_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "kernel/kernel.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T>
HWY_INLINE T load(const std::byte* address) noexcept {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <class T>
HWY_INLINE void store(std::byte* address, T value) noexcept {
  std::memcpy(address, &value, sizeof value);
}

/// A Kernel: a left fold in the order of the offsets, rounded to T at each step.
template <class T, class Operation>
void combine_rows(void* target, const void* source, const std::int64_t* target_offset,
                  const std::int64_t* source_offset, std::int64_t count, std::int64_t row) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(T));
  auto* to = static_cast<std::byte*>(target);
  const auto* from = static_cast<const std::byte*>(source);
  constexpr Operation f{};
  const auto fold = [&](std::int64_t target_at, std::int64_t source_at) HWY_ATTR {
    std::byte* place = to + target_at * kWidth;
    store(place, f(load<T>(place), load<T>(from + source_at * kWidth)));
  };
  if (row == 1 && source_offset == nullptr) {
    for (std::int64_t i = 0; i < count; ++i) fold(target_offset[i], i);
    return;
  }
  if (row == 1) {
    for (std::int64_t i = 0; i < count; ++i) fold(target_offset[i], source_offset[i]);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    // Target and source never overlap: the engine refused that, so the compiler may vectorise.
    std::byte* __restrict__ place = to + target_offset[i] * kWidth;
    const std::byte* __restrict__ update = from + (source_offset != nullptr ? source_offset[i] : i * row) * kWidth;
    for (std::int64_t j = 0; j < row; ++j) {
      store(place + j * kWidth, f(load<T>(place + j * kWidth), load<T>(update + j * kWidth)));
    }
  }
}

/// The kernels of a type that has all four reductions.
template <class T, class Add, class Mul, class Max, class Min>
Kernel choose_combine(Reduction reduction) noexcept {
  switch (reduction) {
    case Reduction::kNone:
      return nullptr;
    case Reduction::kAdd:
      return &combine_rows<T, Add>;
    case Reduction::kMul:
      return &combine_rows<T, Mul>;
    case Reduction::kMax:
      return &combine_rows<T, Max>;
    case Reduction::kMin:
      return &combine_rows<T, Min>;
  }
  return nullptr;
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
