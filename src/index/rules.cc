// What index values outside their axis stand for: one loop for each rule and index type.
#include "index/rules.h"

#include "index/index_value.h"

namespace strew {
namespace {

// A position is counted from the front, or kNowhere. Each rule asks `inside` first.
struct Clip {
  template <class Index>
  static std::int64_t outside(Index value, std::int64_t extent) noexcept {
    return clipped(value, extent);
  }
};

struct Wrap {
  template <class Index>
  static std::int64_t outside(Index value, std::int64_t extent) noexcept {
    return wrapped(value, extent);
  }
};

struct Nowhere {
  template <class Index>
  static std::int64_t outside(Index, std::int64_t) noexcept {
    return kNowhere;
  }
};

template <class Index, class Rule, NegativeIndices kNegative>
std::int64_t place_of(Index value, std::int64_t extent) noexcept {
  return in_range(value, extent, kNegative) ? from_front(value, extent) : Rule::outside(value, extent);
}

template <class Index, class Rule, NegativeIndices kNegative>
bool resolve(const IndexValues& values, std::span<const IndexComponent> components, std::int64_t* offsets) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Index));
  for (std::size_t c = 0; c < components.size(); ++c) {
    const auto [extent, stride] = components[c];
    const std::byte* first = values.first + static_cast<std::int64_t>(c) * values.component_stride * kWidth;
    for (std::int64_t i = 0; i < values.count; ++i) {
      const std::int64_t place =
          place_of<Index, Rule, kNegative>(load_index<Index>(first + i * values.stride * kWidth), extent);
      const std::int64_t before = c == 0 ? 0 : offsets[i];
      offsets[i] = place == kNowhere || before == kNowhere ? kNowhere : before + place * stride;
    }
  }
  return true;
}

template <class Index, class Rule>
ResolveByRules choose(NegativeIndices negative) noexcept {
  return negative == NegativeIndices::kFromEnd ? &resolve<Index, Rule, NegativeIndices::kFromEnd>
                                               : &resolve<Index, Rule, NegativeIndices::kOutside>;
}

}  // namespace

ResolveByRules resolve_by_rules(DType dtype, const IndexRules& rules) noexcept {
  return visit_index_type(dtype, [&](auto tag) -> ResolveByRules {
    using Index = decltype(tag);
    switch (rules.out_of_bounds) {
      case OutOfBounds::kClip:
        return choose<Index, Clip>(rules.negative_indices);
      case OutOfBounds::kWrap:
        return choose<Index, Wrap>(rules.negative_indices);
      default:
        return choose<Index, Nowhere>(rules.negative_indices);
    }
  });
}

}  // namespace strew
