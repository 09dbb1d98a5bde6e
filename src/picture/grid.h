// The grid of one operand: the shown coordinates, their places, and the role of each axis.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "picture/svg.h"
#include "strew/picture.h"
#include "strew/plan.h"
#include "strew/view.h"

namespace strew::picture {
/// The direction of an axis in a grid. The coordinates along all block axes, in row-major order, select a block,
/// which is a matrix of rows and columns.
enum class Role : std::uint8_t { kBlock, kRow, kColumn };
using Roles = std::vector<Role>;

/// The shown coordinates along one direction, in order, and their offsets in the grid.
class Strip {
 public:
  static constexpr std::int64_t kGap = -1;  ///< in `shown`: marks omitted coordinates

  Strip() = default;
  /// Selects at most `most` of `extent` coordinates: the first, the last, and preferably the wanted ones.
  Strip(std::int64_t extent, std::int64_t most, std::span<const std::int64_t> wanted);

  const std::vector<std::int64_t>& shown() const noexcept { return shown_; }
  /// Returns the slot of a coordinate (its position in `shown`), or nullopt if the coordinate is not shown.
  std::optional<std::size_t> find_slot(std::int64_t coordinate) const;

  /// Assigns sizes: `cell` to each coordinate, `gap` to each gap, `between` to the space between slots.
  void lay_out(Units cell, Units gap, Units between = 0);
  Units begin(std::size_t slot) const { return begin_[slot]; }
  Units size(std::size_t slot) const { return shown_[slot] == kGap ? gap_ : cell_; }
  Units length() const noexcept { return length_; }

 private:
  std::vector<std::int64_t> shown_ = {0};
  std::vector<Units> begin_ = {0};
  Units cell_ = 0;
  Units gap_ = 0;
  Units length_ = 0;
};

/// Ranges of rows and columns, both ends inclusive, in one block: the place of a slice or of a part of a slice.
struct Box {
  std::size_t block;
  std::size_t first_row;
  std::size_t last_row;
  std::size_t first_column;
  std::size_t last_column;
};

struct Grid {
  std::string name;  ///< "data"
  TensorView view;
  Roles roles;           ///< direction of each axis
  bool readable = true;  ///< true if the elements may be read
  bool stacked = true;   ///< true if blocks are below each other; else they are side by side
  bool row_labels = true;
  bool column_labels = true;
  std::vector<std::int64_t> tuple_axes = {};  ///< axes of data that the components of tuples address
  bool wrong = false;                         ///< true if the operand's type or shape caused the rejection
  std::int64_t wrong_axis = -1;               ///< the dimension that caused the rejection, or -1

  Strip blocks = {};
  Strip rows = {};
  Strip columns = {};
  Units label_width = 0;  ///< space to the left of each block
  Units x = 0;            ///< position of the first cell
  Units y = 0;

  /// Returns the coordinate at these slots. None of them may be a gap.
  Shape coordinate(std::size_t block, std::size_t row, std::size_t column) const;
  Rect cell(std::size_t block, std::size_t row, std::size_t column) const;
  Rect area(const Box& box) const;
  Rect bounds() const;
  /// Returns the places of a slice; empty if one of its coordinates is not shown.
  std::vector<Box> boxes(const Shape& slice) const;
  /// Returns the number of coordinates along all axes of a role.
  std::int64_t extent(Role role) const;
  /// Returns a slice's coordinate along the axes of a role; nullopt if no axis has the role or the slice spans
  /// such an axis.
  std::optional<std::int64_t> fixed(const Shape& slice, Role role) const;
  /// Returns the element as short text for a cell.
  std::string cell_text(const Shape& coordinate) const;
  std::string full_text(const Shape& coordinate) const;
};

/// Returns text such as "[3, :]"; "" for a scalar.
std::string slice_text(const Shape& slice);

/// True if index values address the last axis of data, whose coordinates are columns. Arrows then run down, not
/// across.
bool stands_along(const Plan& plan);

/// Returns roles: the last axis selects a column, the axis before it a row; a single axis has the role `only`.
Roles usual_roles(std::int64_t rank, Role only);

Roles position_roles(const Plan& plan, bool downwards);
Roles data_roles(const Plan& plan, bool downwards);

/// Returns roles of index axes that put each index beside its slice of the output or updates; nullopt if none do.
std::optional<Roles> aligned_roles(const Plan& plan, const Roles& positions, bool downwards);

}  // namespace strew::picture
