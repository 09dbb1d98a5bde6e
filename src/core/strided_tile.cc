// Copies tiles. Compiled once for each instruction set, so that the compiler vectorises reversed and strided rows.
#include "core/strided_copy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/strided_tile.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <array>
#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

template <class T>
HWY_INLINE void copy_element(std::byte* to, const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  std::memcpy(to, &value, sizeof value);
}

// Copies rows whose elements are `to_step` and `from_step` apart. Loops with constant steps are vectorised.
template <class T, class To, class From>
HWY_INLINE void copy_rows(std::byte* to, const std::byte* from, const TileAxis& outer, std::int64_t count,
                          To to_step, From from_step) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < outer.extent; ++i) {
    std::byte* HWY_RESTRICT row = to + i * outer.to * kWidth;
    const std::byte* HWY_RESTRICT other = from + i * outer.from * kWidth;
    for (std::int64_t j = 0; j < count; ++j) {
      copy_element<T>(row + j * to_step * kWidth, other + j * from_step * kWidth);
    }
  }
}

template <class T>
void copy(std::byte* to, const std::byte* from, const TileAxis& outer, const TileAxis& inner) {
  using One = std::integral_constant<std::int64_t, 1>;
  using Zero = std::integral_constant<std::int64_t, 0>;
  using Two = std::integral_constant<std::int64_t, 2>;
  using Back = std::integral_constant<std::int64_t, -1>;
  const std::int64_t count = inner.extent;
  if (inner.to == 1 && inner.from == 1) {
    for (std::int64_t i = 0; i < outer.extent; ++i) {
      std::memcpy(to + i * outer.to * static_cast<std::int64_t>(sizeof(T)),
                  from + i * outer.from * static_cast<std::int64_t>(sizeof(T)),
                  static_cast<std::size_t>(count) * sizeof(T));
    }
  } else if (inner.to == 1 && inner.from == 0) {
    copy_rows<T>(to, from, outer, count, One(), Zero());
  } else if (inner.to == 1 && inner.from == -1) {
    copy_rows<T>(to, from, outer, count, One(), Back());
  } else if (inner.to == 1 && inner.from == 2) {
    copy_rows<T>(to, from, outer, count, One(), Two());
  } else if (inner.to == 1) {
    copy_rows<T>(to, from, outer, count, One(), inner.from);
  } else {
    copy_rows<T>(to, from, outer, count, inner.to, inner.from);
  }
}

CopyTile choose_tile(std::int64_t width) {
  switch (width) {
    case 1:
      return &copy<std::uint8_t>;
    case 2:
      return &copy<std::uint16_t>;
    case 4:
      return &copy<std::uint32_t>;
    case 8:
      return &copy<std::uint64_t>;
    default:
      return &copy<std::array<std::uint64_t, 2>>;
  }
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose_tile);
CopyTile copy_tile(std::int64_t width) noexcept { return HWY_DYNAMIC_DISPATCH(choose_tile)(width); }
}  // namespace strew
#endif
