// The second reading of index values.
#include "index/resolve.h"

#include <algorithm>

#include "index/index_value.h"

namespace strew {

IndexResolver::IndexResolver(DType dtype, const void* indices, std::int64_t component_stride,
                             const Components& components)
    : indices_(static_cast<const std::byte*>(indices)),
      width_(bit_width(dtype) / 8),
      component_stride_(component_stride),
      components_(components),
      resolve_(visit_index_type(dtype, [](auto tag) { return &resolve_typed<decltype(tag)>; })) {}

template <class Index>
void IndexResolver::resolve_typed(const IndexResolver& self, std::int64_t first, std::int64_t stride,
                                  std::int64_t count, std::int64_t* offsets) {
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Index));
  const auto offset_of = [](Index value, const Component& component) noexcept {
    const std::int64_t front = in_range(value, component.extent) ? from_front(value, component.extent) : 0;
    return front * component.stride;
  };
  if (self.components_.empty()) {  // ScatterND with tuples of length 0: every tuple is the whole tensor
    std::fill_n(offsets, count, std::int64_t{0});
    return;
  }
  const std::byte* address = self.indices_ + first * kWidth;
  const Component component = self.components_.front();
  for (std::int64_t i = 0; i < count; ++i) {
    offsets[i] = offset_of(load_index<Index>(address + i * stride * kWidth), component);
  }
  for (std::size_t c = 1; c < self.components_.size(); ++c) {
    const Component next = self.components_[c];
    address += self.component_stride_ * kWidth;
    for (std::int64_t i = 0; i < count; ++i) {
      offsets[i] += offset_of(load_index<Index>(address + i * stride * kWidth), next);
    }
  }
}

}  // namespace strew
