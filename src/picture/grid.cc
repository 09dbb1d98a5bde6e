// Maps coordinates of an operand to slots of a grid, and assigns axes to rows, columns and blocks.
#include "picture/grid.h"

#include <algorithm>

#include "core/error.h"
#include "core/view_check.h"
#include "strew/element.h"

namespace strew::picture {
namespace {

constexpr std::size_t kCellCharacters = 8;

std::int64_t offset_of(const TensorView& view, const Shape& coordinate) {
  const Shape strides = strides_of(view);
  std::int64_t offset = 0;
  for (std::int64_t axis = 0; axis < strides.rank(); ++axis) offset += coordinate[axis] * strides[axis];
  return offset;
}

// True if index values vary along this axis of `position_shape`.
bool is_indexed(const Plan& plan, std::int64_t position_axis) {
  return std::any_of(loop_of(plan).begin(), loop_of(plan).end(), [&](const auto& axis) {
    return axis.position_axis == position_axis && axis.index_axis >= 0;
  });
}

}  // namespace

Strip::Strip(std::int64_t extent, std::int64_t most, std::span<const std::int64_t> wanted) {
  shown_.clear();
  if (extent <= most) {
    for (std::int64_t i = 0; i < extent; ++i) shown_.push_back(i);
    return;
  }
  std::vector<std::int64_t> chosen = {0, extent - 1};
  const auto add = [&](std::int64_t coordinate) {
    const bool there = std::find(chosen.begin(), chosen.end(), coordinate) != chosen.end();
    if (!there && static_cast<std::int64_t>(chosen.size()) < most) chosen.push_back(coordinate);
  };
  for (const std::int64_t coordinate : wanted) add(coordinate);
  for (std::int64_t i = 0; i < most; ++i) add(i);
  std::sort(chosen.begin(), chosen.end());
  for (const std::int64_t coordinate : chosen) {
    if (coordinate > 0 && (shown_.empty() || shown_.back() != coordinate - 1)) shown_.push_back(kGap);
    shown_.push_back(coordinate);
  }
}

std::optional<std::size_t> Strip::find_slot(std::int64_t coordinate) const {
  const auto found = std::find(shown_.begin(), shown_.end(), coordinate);
  if (found == shown_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - shown_.begin());
}

void Strip::lay_out(Units cell, Units gap, Units between) {
  cell_ = cell;
  gap_ = gap;
  begin_.clear();
  Units at = 0;
  for (std::size_t slot = 0; slot < shown_.size(); ++slot) {
    begin_.push_back(at);
    at += size(slot) + between;
  }
  length_ = shown_.empty() ? 0 : at - between;
}

Shape Grid::coordinate(std::size_t block, std::size_t row, std::size_t column) const {
  Shape at = view.shape();
  std::int64_t rest = blocks.shown()[block];
  for (std::int64_t axis = at.rank() - 1; axis >= 0; --axis) {
    switch (roles[static_cast<std::size_t>(axis)]) {
      case Role::kRow:
        at[axis] = rows.shown()[row];
        break;
      case Role::kColumn:
        at[axis] = columns.shown()[column];
        break;
      case Role::kBlock: {
        const std::int64_t length = at[axis];
        at[axis] = rest % length;
        rest /= length;
        break;
      }
    }
  }
  return at;
}

Rect Grid::cell(std::size_t block, std::size_t row, std::size_t column) const {
  const Units along = blocks.begin(block);
  return {x + (stacked ? 0 : along) + columns.begin(column), y + (stacked ? along : 0) + rows.begin(row),
          columns.size(column), rows.size(row)};
}

Rect Grid::area(const Box& box) const {
  const Rect first = cell(box.block, box.first_row, box.first_column);
  const Rect last = cell(box.block, box.last_row, box.last_column);
  return {first.x, first.y, last.right() - first.x, last.bottom() - first.y};
}

Rect Grid::bounds() const {
  return {x, y, stacked ? columns.length() : blocks.length(), stacked ? blocks.length() : rows.length()};
}

std::int64_t Grid::extent(Role role) const {
  std::int64_t product = 1;
  for (std::size_t axis = 0; axis < roles.size(); ++axis) {
    if (roles[axis] == role) product *= view.shape()[static_cast<std::int64_t>(axis)];
  }
  return product;
}

std::optional<std::int64_t> Grid::fixed(const Shape& slice, Role role) const {
  std::optional<std::int64_t> coordinate;
  for (std::size_t axis = 0; axis < roles.size(); ++axis) {
    if (roles[axis] != role) continue;
    const auto at = static_cast<std::int64_t>(axis);
    if (slice[at] == kWholeAxis) return std::nullopt;
    coordinate = coordinate.value_or(0) * view.shape()[at] + slice[at];
  }
  return coordinate;
}

std::vector<Box> Grid::boxes(const Shape& slice) const {
  std::vector<Box> found;
  if (rows.shown().empty() || columns.shown().empty()) return found;
  Box box{0, 0, rows.shown().size() - 1, 0, columns.shown().size() - 1};
  if (const auto row = fixed(slice, Role::kRow)) {
    const auto slot = rows.find_slot(*row);
    if (!slot) return found;
    box.first_row = box.last_row = *slot;
  }
  if (const auto column = fixed(slice, Role::kColumn)) {
    const auto slot = columns.find_slot(*column);
    if (!slot) return found;
    box.first_column = box.last_column = *slot;
  }
  for (box.block = 0; box.block < blocks.shown().size(); ++box.block) {
    if (blocks.shown()[box.block] == Strip::kGap) continue;
    std::int64_t rest = blocks.shown()[box.block];
    bool inside = true;
    for (std::size_t axis = roles.size(); axis-- > 0;) {
      if (roles[axis] != Role::kBlock) continue;
      const std::int64_t length = view.shape()[static_cast<std::int64_t>(axis)];
      const std::int64_t wanted = slice[static_cast<std::int64_t>(axis)];
      inside = inside && (wanted == kWholeAxis || wanted == rest % length);
      rest /= length;
    }
    if (inside) found.push_back(box);
  }
  return found;
}

std::string Grid::cell_text(const Shape& coordinate) const {
  std::string text = full_text(coordinate);
  if (text.size() <= kCellCharacters) return text;
  const ValueKind kind = value_kind(view.dtype());
  if (readable && (kind == ValueKind::kReal || kind == ValueKind::kComplex)) {
    const int digits = kind == ValueKind::kReal ? 4 : 2;
    text = element_text(view.dtype(), view.data(), offset_of(view, coordinate), digits);
  }
  return shortened(text, kind == ValueKind::kReal || kind == ValueKind::kComplex ? 12 : kCellCharacters);
}

std::string Grid::full_text(const Shape& coordinate) const {
  return readable ? element_text(view.dtype(), view.data(), offset_of(view, coordinate)) : std::string();
}

std::string slice_text(const Shape& slice) {
  if (slice.empty()) return {};
  std::string text = "[";
  for (std::int64_t axis = 0; axis < slice.rank(); ++axis) {
    if (axis > 0) text += ", ";
    text += slice[axis] == kWholeAxis ? std::string(":") : concat(slice[axis]);
  }
  return text + ']';
}

bool stands_along(const Plan& plan) {
  return !plan.tuples() && plan.indexed_axes().front() == plan.data().shape.rank() - 1;
}

Roles usual_roles(std::int64_t rank, Role only) {
  if (rank == 1) return {only};
  Roles roles(static_cast<std::size_t>(rank), Role::kBlock);
  if (rank > 1) {
    roles[roles.size() - 2] = Role::kRow;
    roles[roles.size() - 1] = Role::kColumn;
  }
  return roles;
}

Roles position_roles(const Plan& plan, bool downwards) {
  const std::int64_t rank = plan.position_shape().rank();
  if (plan.tuples() && rank > 0 && is_indexed(plan, rank - 1)) {
    // Each tuple moves one element, so elements are stacked like tuples.
    Roles roles(static_cast<std::size_t>(rank), Role::kBlock);
    roles.back() = Role::kRow;
    return roles;
  }
  const bool down = !downwards && rank == 1 && is_indexed(plan, 0);
  return usual_roles(rank, down ? Role::kRow : Role::kColumn);
}

Roles data_roles(const Plan& plan, bool downwards) {
  const bool indexed = !plan.indexed_axes().empty();
  return usual_roles(plan.data().shape.rank(), indexed && !downwards ? Role::kRow : Role::kColumn);
}

std::optional<Roles> aligned_roles(const Plan& plan, const Roles& positions, bool downwards) {
  if (plan.op() == OpKind::kTensorScatter || plan.indexed_axes().empty()) return std::nullopt;
  Roles roles(static_cast<std::size_t>(plan.indices().shape.rank()), Role::kColumn);  // for tuple components
  const Role along = downwards ? Role::kColumn : Role::kRow;
  std::vector<bool> placed(positions.size(), false);
  for (const auto& axis : loop_of(plan)) {
    if (axis.index_axis < 0) continue;
    const auto at = static_cast<std::size_t>(axis.position_axis);
    if (plan.tuples() && positions[at] == Role::kColumn) return std::nullopt;
    roles[static_cast<std::size_t>(axis.index_axis)] = positions[at];
    placed[at] = true;
  }
  for (std::size_t at = 0; at < positions.size(); ++at) {
    const bool must = positions[at] == Role::kBlock || (positions[at] == along && !plan.tuples());
    if (must && !placed[at]) return std::nullopt;
  }
  return roles;
}

}  // namespace strew::picture
