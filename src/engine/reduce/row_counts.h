// RowCounts: records for each row of the output whether it has updates, or how many.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/scratch.h"
#include "engine/geometry/geometry.h"
#include "strew/plan.h"

namespace strew {

/// How a Fold counts updates, and the sizes of its memory. Neither positions nor data may be empty.
struct FoldLayout {
  /// The record of a row: none, whether it has updates (1 byte), or the number of its updates (4 or 8 bytes).
  enum class Counts : std::uint8_t { kNone, kAny, kFew, kMany };

  FoldLayout(const Plan& plan, const Geometry& geometry) noexcept;

  std::int64_t bytes() const noexcept { return count_bytes() + separate_bytes(); }
  std::int64_t count_bytes() const noexcept;
  std::int64_t separate_bytes() const noexcept { return separate_element_bytes * reach_elements; }

  std::int64_t lowest = 0;  ///< lowest offset of a row of the output
  int unit = 0;             ///< all offsets are multiples of 1 << unit, counted from the lowest
  std::int64_t units = 0;
  std::int64_t reach_elements = 0;  ///< elements from the lowest row to the end of the highest row
  Counts counts = Counts::kNone;
  bool widens = false;
  std::int64_t separate_element_bytes = 0;  ///< size of an accumulator outside the output; 0: none
  bool sparse = false;                      ///< most rows have no updates
};

/// The type in which updates are combined, and the reduction that combines them (kAdd for a mean).
DType folded_type(const Plan& plan) noexcept;
Reduction folded_reduction(const Plan& plan) noexcept;

/// Memory that may stay partly unused. If `sparse`, it comes from malloc, so that unused pages cost nothing.
class PartlyUsed {
 public:
  /// Throws std::bad_alloc.
  PartlyUsed(std::int64_t bytes, bool sparse, bool zero);
  std::byte* data() const noexcept { return sparse_ != nullptr ? sparse_.get() : dense_.data(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  Scratch dense_;
  std::unique_ptr<std::byte, Free> sparse_;
};

/// Updates and their rows of the output, in the form of a Kernel's arguments. `source_offset` may be nullptr.
struct RowUpdates {
  const std::byte* source;
  const std::int64_t* target_offset;
  const std::int64_t* source_offset;
  std::int64_t count;
};

/// A subset of at most kBlock updates, by their numbers.
struct SomeRows {
  static constexpr std::int64_t kBlock = 128;
  std::array<std::uint16_t, static_cast<std::size_t>(kBlock)> number;
  std::int64_t count = 0;
};

class RowCounts {
 public:
  explicit RowCounts(const FoldLayout& layout)
      : kind_(layout.counts), unit_(layout.unit), memory_(layout.count_bytes(), layout.sparse, true) {}

  /// Calls `visit` with the address of the counts in their type.
  template <class Visit>
  void visit(const Visit& visit) const {
    switch (kind_) {
      case FoldLayout::Counts::kNone:
        return;
      case FoldLayout::Counts::kAny:
        return visit(of<std::uint8_t>());
      case FoldLayout::Counts::kFew:
        return visit(of<std::uint32_t>());
      case FoldLayout::Counts::kMany:
        return visit(of<std::uint64_t>());
    }
  }

  /// Counts updates. Their rows start at `origin + target_offset`, counted from the lowest offset.
  void count(const std::int64_t* target_offset, std::int64_t count, std::int64_t origin) const;

  /// Counts updates as `count` does, and separates the first update of each row from the others.
  void tell_apart(const std::int64_t* target_offset, std::int64_t count, std::int64_t origin, SomeRows& first,
                  SomeRows& later) const;

 private:
  template <class Count>
  Count* of() const noexcept {
    return reinterpret_cast<Count*>(memory_.data());
  }

  FoldLayout::Counts kind_;
  int unit_;
  PartlyUsed memory_;
};

}  // namespace strew
