// Resolves checked index values to element offsets.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "core/prefetch.h"
#include "index/scan.h"
#include "strew/dtype.h"
#include "strew/inline_vector.h"

namespace strew {

/// Resolves index values. Values out of range (unchecked, or changed by another thread) address position 0.
class IndexResolver {
 public:
  using Component = IndexComponent;
  using Components = detail::InlineVector<Component, 8>;

  /// Must be assigned to before use.
  IndexResolver() noexcept = default;
  /// `components` must outlive the resolver. A value out of range sets `any_out_of_bounds`, if given.
  IndexResolver(DType dtype, const void* indices, std::int64_t component_stride_values,
                const Components& components, std::atomic<bool>* any_out_of_bounds = nullptr)
      : indices_(static_cast<const std::byte*>(indices)),
        dtype_(dtype),
        width_(bit_width(dtype) / 8),
        component_stride_(component_stride_values),
        components_(components),
        loops_(&index_loops(dtype)),
        resolve_(loops_->resolve),
        any_out_of_bounds_(any_out_of_bounds) {}

  /// Returns a resolver that applies a rule to values outside their axis. Its offsets may be kDroppedOffset.
  IndexResolver by_rules(OutOfBounds rule) const {
    IndexResolver other = *this;
    other.resolve_ = resolve_by_rules(dtype_, rule);
    other.by_rules_ = true;
    return other;
  }

  /// Writes the element offsets of the tuples at `first`, `first + stride`, ... Both numbers count index values.
  void resolve(std::int64_t first, std::int64_t stride, std::int64_t count, std::int64_t* offsets) const {
    // ScatterND with tuples of length 0: every tuple addresses the whole tensor, and there may be no indices.
    if (components_.empty()) return static_cast<void>(std::fill_n(offsets, count, std::int64_t{0}));
    note(resolve_({indices_ + first * width_, stride, component_stride_, count}, components_, offsets));
  }

  /// Prefetches the values of `count` tuples, which need not exist.
  void prefetch(std::int64_t first, std::int64_t stride, std::int64_t count) const noexcept {
    const std::int64_t lowest = stride < 0 ? first + (count - 1) * stride : first;
    prefetch_to_l2(indices_ + lowest * width_, count * std::abs(stride) * width_);
  }

  /// True if `resolve_tile` may be called: there is one component, and tiles support its type, extent and stride.
  bool has_tiles() const noexcept {
    if (components_.size() != 1 || by_rules_ || loops_->tile == nullptr) return false;
    const auto& [extent, stride, _] = components_.front();
    return extent <= kMaxInTile && -kMaxInTile <= stride && stride <= kMaxInTile;
  }

  /// A block of rows and columns of index values; see IndexTile.
  struct Tile {
    std::int64_t first;  ///< offset of the first value, in values
    std::int64_t row_stride_values;
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t base = 0;
    std::int64_t row_step_elements = 0;
    std::int64_t column_step_elements = 0;
    std::int64_t ahead_values = 0;
  };

  void resolve_tile(const Tile& tile, std::int64_t* offsets) const {
    note(loops_->tile(
        {indices_ + tile.first * width_, tile.row_stride_values, tile.rows, tile.columns, components_.front(),
         tile.base, tile.row_step_elements, tile.column_step_elements, tile.ahead_values},
        offsets));
  }

  /// True if the resolver records values out of range and has found one.
  bool any_out_of_bounds() const noexcept {
    return any_out_of_bounds_ != nullptr && any_out_of_bounds_->load(std::memory_order_relaxed);
  }

  /// Returns a copy of this resolver for the indices that start `offset` values later.
  IndexResolver starting_at(std::int64_t offset) const {
    IndexResolver moved = *this;
    if (!components_.empty()) moved.indices_ += offset * width_;  // without components there may be no indices
    return moved;
  }

 private:
  static constexpr std::int64_t kMaxInTile = INT32_MAX;

  void note(bool inside) const noexcept {
    if (!inside && any_out_of_bounds_ != nullptr) any_out_of_bounds_->store(true, std::memory_order_relaxed);
  }

  const std::byte* indices_ = nullptr;
  DType dtype_ = DType::kInt64;
  bool by_rules_ = false;
  std::int64_t width_ = 0;  // bytes of an index value
  std::int64_t component_stride_ = 0;
  std::span<const Component> components_;
  const IndexLoops* loops_ = nullptr;
  ResolveByRules resolve_ = nullptr;
  std::atomic<bool>* any_out_of_bounds_ = nullptr;
};

}  // namespace strew
