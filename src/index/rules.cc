// Loops that find the offsets of index values that may be outside their axis, compiled for each instruction set.
#include "index/scan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "index/rules.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)  // no faster here than SSE2 and AVX3
#include <hwy/foreach_target.h>                         // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "index/index_value.h"

HWY_BEFORE_NAMESPACE();
namespace strew::HWY_NAMESPACE {
namespace {

// Each rule maps a value to a coordinate.
struct Clip {
  static constexpr bool kWraps = false;
  static std::int64_t coordinate(std::int64_t value, std::int64_t extent, std::int64_t from_end) noexcept {
    const std::int64_t front = value + (value < 0 ? from_end : 0);
    return std::min(std::max<std::int64_t>(front, 0), extent - 1);
  }
};

struct Drop {
  static constexpr bool kWraps = false;
  static std::int64_t coordinate(std::int64_t value, std::int64_t extent, std::int64_t from_end) noexcept {
    const std::int64_t front = value + (value < 0 ? from_end : 0);
    return static_cast<std::uint64_t>(front) < static_cast<std::uint64_t>(extent) ? front : kDroppedOffset;
  }
};

// Adds or subtracts the extent once, without a division. find_coordinates uses a division for the rare values
// further outside.
struct Wrap {
  static constexpr bool kWraps = true;
  static std::int64_t coordinate(std::int64_t value, std::int64_t extent, std::int64_t) noexcept {
    if (value < 0) return value + extent;
    return value >= extent ? value - extent : value;
  }
};

constexpr std::int64_t kBlock = 256;  // values processed at a time
using Values = std::array<std::int64_t, kBlock>;

// Reads values of one type as int64. For kWrap, uint64 values above INT64_MAX are replaced with their remainder.
using ReadValues = void (*)(const std::byte* first, std::int64_t stride, std::int64_t count, std::int64_t extent,
                            std::int64_t* values);

template <class Index, bool kWrapsUint64>
void read_values(const std::byte* first, std::int64_t stride, std::int64_t count,
                 [[maybe_unused]] std::int64_t extent, std::int64_t* values) {
  if constexpr (kWrapsUint64) {
    read_once<std::int64_t>(first, stride, count, values);
    for (std::int64_t i = 0; i < count; ++i) {
      if (values[i] < 0) values[i] = wrapped(static_cast<std::uint64_t>(values[i]), extent);
    }
  } else {
    read_once<Index>(first, stride, count, values);
  }
}

template <class Rule>
HWY_INLINE void find_coordinates(const Values& values, std::int64_t count, const IndexComponent& axis,
                                 Values& coordinates) {
  const auto [extent, _, from_end] = axis;
  std::uint64_t out_of_bounds = 0;  // its sign bit is set if a coordinate is outside
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::int64_t coordinate = Rule::coordinate(values[i], extent, from_end);
    coordinates[i] = coordinate;
    if constexpr (Rule::kWraps)
      out_of_bounds |= static_cast<std::uint64_t>(coordinate | (extent - 1 - coordinate));
  }
  if constexpr (Rule::kWraps) {
    if (static_cast<std::int64_t>(out_of_bounds) >= 0) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      if (coordinates[i] < 0 || coordinates[i] >= extent) coordinates[i] = wrapped(values[i], extent);
    }
  }
}

template <class Rule>
HWY_NOINLINE bool resolve_values(const IndexValues& given, std::span<const IndexComponent> components,
                                 std::int64_t* HWY_RESTRICT offsets, ReadValues read, std::int64_t width) {
  for (std::int64_t begin = 0; begin < given.count; begin += kBlock) {
    const std::int64_t count = std::min(kBlock, given.count - begin);
    for (std::size_t c = 0; c < components.size(); ++c) {
      const IndexComponent axis = components[c];
      const std::int64_t from =
          begin * given.stride + static_cast<std::int64_t>(c) * given.component_stride_values;
      Values values;
      Values coordinates;
      read(given.first + from * width, given.stride, count, axis.extent, values.data());
      find_coordinates<Rule>(values, count, axis, coordinates);
      std::int64_t* HWY_RESTRICT sum = offsets + begin;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t coordinate = coordinates[static_cast<std::size_t>(i)];
        const std::int64_t before = c == 0 ? 0 : sum[i];
        const bool nowhere = coordinate == kDroppedOffset || before == kDroppedOffset;
        sum[i] = nowhere ? kDroppedOffset : before + coordinate * axis.stride;
      }
    }
  }
  return true;
}

template <class Index, class Rule>
bool resolve(const IndexValues& values, std::span<const IndexComponent> components, std::int64_t* offsets) {
  constexpr bool kWrapsUint64 = Rule::kWraps && std::is_same_v<Index, std::uint64_t>;
  return resolve_values<Rule>(values, components, offsets, &read_values<Index, kWrapsUint64>, sizeof(Index));
}

ResolveByRules choose(DType dtype, OutOfBounds rule) {
  return visit_index_type(dtype, [&](auto tag) -> ResolveByRules {
    using Index = decltype(tag);
    if (rule == OutOfBounds::kClip) return &resolve<Index, Clip>;
    return rule == OutOfBounds::kWrap ? &resolve<Index, Wrap> : &resolve<Index, Drop>;
  });
}

}  // namespace
}  // namespace strew::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace strew {
HWY_EXPORT(choose);
ResolveByRules resolve_by_rules(DType dtype, OutOfBounds rule) noexcept {
  return rule == OutOfBounds::kError ? index_loops(dtype).resolve : HWY_DYNAMIC_DISPATCH(choose)(dtype, rule);
}
}  // namespace strew
#endif
