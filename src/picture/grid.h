// The grid of one operand: which of its coordinates are shown, and where.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "picture/svg.h"
#include "strew/picture.h"
#include "strew/view.h"

namespace strew::picture {

/// How an axis is shown. The coordinates along all block axes, in row-major order, choose a block, which is a
/// matrix of rows and columns.
enum class Role : std::uint8_t { kBlock, kRow, kColumn };
using Roles = std::vector<Role>;

/// The coordinates that are shown along one direction, in order, and where each of them begins.
class Strip {
 public:
  static constexpr std::int64_t kGap = -1;  ///< in `shown`: some are left out here

  Strip() = default;
  /// Of `extent` coordinates at most `most`: the first and last of them and, before others, those that are wanted.
  Strip(std::int64_t extent, std::int64_t most, std::span<const std::int64_t> wanted);

  std::int64_t extent() const noexcept { return extent_; }
  const std::vector<std::int64_t>& shown() const noexcept { return shown_; }
  bool complete() const noexcept { return static_cast<std::int64_t>(shown_.size()) == extent_; }
  /// The slot that shows a coordinate.
  std::optional<std::size_t> slot_of(std::int64_t coordinate) const;

  /// Gives each coordinate `cell`, each gap `gap`, and puts `between` between them.
  void lay_out(Units cell, Units gap, Units between = 0);
  Units begin(std::size_t slot) const { return begin_[slot]; }
  Units size(std::size_t slot) const { return shown_[slot] == kGap ? gap_ : cell_; }
  Units length() const noexcept { return length_; }

 private:
  std::int64_t extent_ = 1;
  std::vector<std::int64_t> shown_ = {0};
  std::vector<Units> begin_ = {0};
  Units cell_ = 0;
  Units gap_ = 0;
  Units length_ = 0;
};

/// Slots of rows and columns, the last ones included, in one block: where a slice, or a part of it, is shown.
struct Box {
  std::size_t block;
  std::size_t first_row;
  std::size_t last_row;
  std::size_t first_column;
  std::size_t last_column;
};

/// An operand as it is drawn.
struct Grid {
  std::string name;  ///< "data"
  TensorView view;
  Roles roles;           ///< of each axis
  bool readable = true;  ///< its elements may be read
  bool stacked = true;   ///< blocks stand below each other; else beside each other
  bool row_labels = true;
  bool column_labels = true;
  std::vector<std::int64_t> tuple_axes = {};  ///< of data, that the columns choose on
  bool wrong = false;                         ///< its type or shape is why the call is rejected
  std::int64_t wrong_axis = -1;               ///< where it is one dimension

  Strip blocks = {};
  Strip rows = {};
  Strip columns = {};
  Units label_width = 0;  ///< to the left of each block
  Units x = 0;            ///< of the first cell
  Units y = 0;

  /// The coordinate of the operand at these slots, none of which is a gap.
  Shape coordinate(std::size_t block, std::size_t row, std::size_t column) const;
  Rect cell(std::size_t block, std::size_t row, std::size_t column) const;
  Rect area(const Box& box) const;
  /// The cells of all blocks.
  Rect bounds() const;
  /// Where a slice is shown: nothing where one of its coordinates is not.
  std::vector<Box> boxes(const Shape& slice) const;
  /// How many coordinates there are along all axes of a role.
  std::int64_t extent(Role role) const;
  /// The coordinate along a role's axes that a slice has; nothing where one of them is whole, or there is none.
  std::optional<std::int64_t> fixed(const Shape& slice, Role role) const;
  /// The element, as short text for a cell.
  std::string cell_text(const Shape& coordinate) const;
  /// The element, exactly.
  std::string full_text(const Shape& coordinate) const;
};

/// "[3, :]"; "" for a scalar.
std::string slice_text(const Shape& slice);

}  // namespace strew::picture
