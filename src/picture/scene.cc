// Makes grids from a call's operands, selects the shown coordinates, and places the grids.
#include "picture/scene.h"

#include <algorithm>

#include "core/error.h"
#include "core/view_check.h"
#include "picture/painter.h"

namespace strew::picture {
namespace {

constexpr std::size_t kWantedArrows = 16;

// Returns the maximum number of shown coordinates along the axes of a role.
std::int64_t most_shown(const Grid& grid, Role role) {
  const bool several = grid.extent(Role::kBlock) > 1;
  const auto up_to = [&](std::int64_t all, std::int64_t some) { return grid.extent(role) <= all ? all : some; };
  switch (role) {
    case Role::kBlock:
      return up_to(6, 4);
    case Role::kRow:
      return several ? up_to(6, 5) : up_to(12, 9);
    default:
      return grid.stacked ? up_to(8, 4) : several ? up_to(6, 4) : up_to(16, 12);
  }
}

// Chooses the coordinates to show. `wanted`: slices to show, in order of priority.
void choose_shown(Grid& grid, const std::vector<Shape>& wanted) {
  const auto strip = [&](Role role) {
    std::vector<std::int64_t> coordinates;
    for (const Shape& slice : wanted) {
      if (const auto coordinate = grid.fixed(slice, role)) coordinates.push_back(*coordinate);
    }
    return Strip(grid.extent(role), most_shown(grid, role), coordinates);
  };
  grid.blocks = strip(Role::kBlock);
  grid.rows = strip(Role::kRow);
  grid.columns = strip(Role::kColumn);
}

Grid make_grid(std::string_view name, const TensorView& view, Roles roles, bool downwards) {
  return {.name = std::string(name), .view = view, .roles = std::move(roles), .stacked = !downwards};
}

int add(Scene& scene, Grid grid) {
  scene.grids.push_back(std::move(grid));
  return static_cast<int>(scene.grids.size()) - 1;
}

constexpr Units kCellHeight = pixels(34);
constexpr Units kLeastCellWidth = pixels(36);
constexpr Units kGapSize = pixels(16);
constexpr Units kBetweenBlocks = pixels(14);
constexpr Units kBetweenGrids = pixels(30);
constexpr Units kBesideGrid = pixels(12);
constexpr Units kGutter = pixels(112);
constexpr Units kHeader = pixels(38);
constexpr Units kColumnLabels = pixels(16);

template <class Body>
void for_each_cell(const Grid& grid, const Body& body) {
  for (std::size_t b = 0; b < grid.blocks.shown().size(); ++b) {
    for (std::size_t r = 0; r < grid.rows.shown().size(); ++r) {
      for (std::size_t c = 0; c < grid.columns.shown().size(); ++c) {
        if (!is_gap(grid, {b, r, c})) body(b, r, c);
      }
    }
  }
}

Units cell_width(const Grid& grid) {
  Units width = grid.tuple_axes.empty() ? kLeastCellWidth : pixels(44);
  for_each_cell(grid, [&](std::size_t b, std::size_t r, std::size_t c) {
    const std::string text = grid.cell_text(grid.coordinate(b, r, c));
    width = std::max(width, text_width(text, {pixels(13), true}) + pixels(14));
  });
  return (width + 9) / 10 * 10;
}

Units label_width(const Grid& grid) {
  if (!grid.row_labels) return 0;
  Units width = 0;
  for (const std::string& label : row_labels(grid)) width = std::max(width, text_width(label, {pixels(10), true}));
  return width == 0 ? 0 : width + pixels(7);
}

// Sets the sizes of rows, columns and labels. `cell` is the width of a cell.
void lay_out_cells(Grid& grid, Units cell) {
  grid.columns.lay_out(cell, kGapSize);
  grid.rows.lay_out(kCellHeight, kGapSize);
  grid.label_width = label_width(grid);
}

void lay_out_blocks(Grid& grid, Units pitch) {
  grid.blocks.lay_out(pitch, kGapSize, kBetweenBlocks + (grid.stacked ? 0 : grid.label_width));
}

Units block_size(const Grid& grid) { return grid.stacked ? grid.rows.length() : grid.columns.length(); }

Units header_width(const Grid& grid) {
  return std::max(text_width(grid.name, {pixels(13), false, true}),
                  text_width(type_text(grid.view), {pixels(11)}));
}

}  // namespace

Names names_of(OpKind op) noexcept {
  if (op == OpKind::kTensorScatter) return {"past_cache", "write_indices", "update", "present_cache"};
  return {"data", "indices", "updates", "output"};
}

std::string type_text(const TensorView& view) {
  return std::string(dtype_name(view.dtype())) + ' ' + to_string(view.shape());
}

std::vector<std::string> row_labels(const Grid& grid) {
  std::vector<std::string> labels;
  if (std::find(grid.roles.begin(), grid.roles.end(), Role::kRow) == grid.roles.end()) return labels;
  for (std::size_t b = 0; b < grid.blocks.shown().size(); ++b) {
    for (std::size_t r = 0; r < grid.rows.shown().size(); ++r) {
      std::string label;
      if (grid.blocks.shown()[b] != Strip::kGap && grid.rows.shown()[r] != Strip::kGap &&
          !grid.columns.shown().empty()) {
        const Shape at = grid.coordinate(b, r, 0);
        for (std::size_t axis = 0; axis < grid.roles.size(); ++axis) {
          if (grid.roles[axis] == Role::kColumn) continue;
          if (!label.empty()) label += ',';
          label += concat(at[static_cast<std::int64_t>(axis)]);
        }
      }
      labels.push_back(std::move(label));
    }
  }
  return labels;
}

Shape index_slice(const Plan& plan, const Arrow& arrow) {
  Shape slice = arrow.index;
  if (plan.tuples()) slice.push_back(kWholeAxis);
  if (plan.op() == OpKind::kTensorScatter) return Shape{arrow.index[0]};
  return slice;
}

Scene lay_out(const Plan& plan, const Operands& operands, const TensorView& output, const Trace& trace,
              Point origin) {
  const Names names = names_of(plan.op());
  const bool scatter = plan.is_scatter();
  Scene scene;
  scene.downwards = stands_along(plan);
  const Roles positions = position_roles(plan, scene.downwards);
  std::optional<Roles> aligned;
  if (plan.has_indices()) aligned = aligned_roles(plan, positions, scene.downwards);
  scene.aligned = aligned.has_value();

  std::vector<Shape> data_slices;
  std::vector<Shape> position_slices;
  std::vector<Shape> index_slices;
  for (std::size_t i = 0; i < std::min(trace.arrows.size(), kWantedArrows); ++i) {
    const Arrow& arrow = trace.arrows[i];
    if (!arrow.dropped) data_slices.push_back(arrow.data);
    position_slices.push_back(arrow.position);
    index_slices.push_back(index_slice(plan, arrow));
  }
  const auto make_sliced_grid = [&](std::string_view name, const TensorView& view, Roles roles,
                                    const std::vector<Shape>& wanted) {
    Grid grid = make_grid(name, view, std::move(roles), scene.downwards);
    choose_shown(grid, wanted);
    return grid;
  };
  const auto data_grid = [&](std::string_view name, const TensorView& view) {
    return make_sliced_grid(name, view, data_roles(plan, scene.downwards), data_slices);
  };
  const auto add_indices = [&] {
    if (!plan.has_indices()) return;
    const TensorView& indices = *operands.indices;
    const Roles roles =
        aligned ? *aligned : usual_roles(indices.rank(), scene.downwards ? Role::kColumn : Role::kRow);
    Grid grid = make_sliced_grid(names.indices, indices, roles, index_slices);
    if (plan.tuples()) grid.tuple_axes.assign(plan.indexed_axes().begin(), plan.indexed_axes().end());
    scene.indices = add(scene, std::move(grid));
  };
  int gutter = 0;
  if (scatter) {
    scene.data = add(scene, data_grid(names.data, operands.data));
    if (!aligned) add_indices();
    scene.updates = add(scene, make_sliced_grid(names.updates, *operands.updates, positions, position_slices));
    if (aligned) add_indices();
    scene.output = gutter = add(scene, data_grid(names.output, output));
  } else {
    if (!aligned) add_indices();
    scene.data = add(scene, data_grid(names.data, operands.data));
    gutter = static_cast<int>(scene.grids.size());
    if (aligned) add_indices();
    scene.output = add(scene, make_sliced_grid(names.output, output, positions, position_slices));
  }
  Grid* first = nullptr;
  Grid* second = nullptr;
  if (aligned) {
    Grid& indices = scene.grids[static_cast<std::size_t>(scene.indices)];
    Grid& beside = scene.grids[static_cast<std::size_t>(scatter ? scene.updates : scene.output)];
    first = scatter ? &beside : &indices;
    second = scatter ? &indices : &beside;
    if (!scene.downwards) second->row_labels = false;
  }
  lay_out_grids(scene, first, second);
  scene.downwards ? place_downwards(scene, origin, gutter) : place_rightwards(scene, origin, gutter);
  return scene;
}

Scene lay_out_rejected(OpKind op, const Operands& operands, const Shape* bad, Point origin) {
  const Names names = names_of(op);
  Scene scene;
  const auto add_grid = [&](std::string_view name, const std::optional<TensorView>& view) {
    if (!view) return -1;
    Grid grid = make_grid(name, *view, {}, false);
    std::vector<Shape> wanted;
    grid.readable = check_view("", name, *view).has_value();
    if (!grid.readable) {
      grid.blocks = grid.rows = grid.columns = Strip(0, 0, {});
    } else {
      grid.roles = usual_roles(view->rank(), Role::kRow);
      if (name == names.indices && bad && bad->rank() == view->rank()) wanted.push_back(*bad);
      choose_shown(grid, wanted);
    }
    return add(scene, std::move(grid));
  };
  scene.data = add_grid(names.data, operands.data);
  scene.indices = add_grid(names.indices, operands.indices);
  scene.updates = add_grid(names.updates, operands.updates);
  lay_out_grids(scene, nullptr, nullptr);
  place_rightwards(scene, origin, -1);
  return scene;
}

void place_downwards(Scene& scene, Point origin, int gutter_before) {
  Units left = 0;
  for (const Grid& grid : scene.grids) left = std::max(left, header_width(grid));
  left += pixels(16);
  Units labels = 0;
  for (const Grid& grid : scene.grids) labels = std::max(labels, grid.label_width);
  Units y = origin.y;
  for (std::size_t i = 0; i < scene.grids.size(); ++i) {
    Grid& grid = scene.grids[i];
    if (i > 0) {
      const bool beside = !grid.column_labels || (scene.aligned && static_cast<int>(i) == scene.output);
      y += static_cast<int>(i) == gutter_before ? pixels(84) : beside ? kBesideGrid : kBetweenGrids - pixels(10);
    }
    if (grid.column_labels) y += kColumnLabels;
    grid.x = origin.x + left + labels;
    grid.y = y;
    y += std::max(grid.bounds().height, kCellHeight);
    scene.width = std::max(scene.width, grid.x + grid.bounds().width - origin.x);
  }
  scene.height = y - origin.y;
}

void place_rightwards(Scene& scene, Point origin, int gutter_before) {
  Units x = origin.x;
  for (std::size_t i = 0; i < scene.grids.size(); ++i) {
    Grid& grid = scene.grids[i];
    if (i > 0) x += static_cast<int>(i) == gutter_before ? kGutter : grid.row_labels ? kBetweenGrids : kBesideGrid;
    grid.x = x + grid.label_width;
    grid.y = origin.y + kHeader + kColumnLabels;
    x = std::max(grid.x + std::max(grid.bounds().width, kLeastCellWidth), x + header_width(grid));
    scene.height = std::max(scene.height, grid.y + std::max(grid.bounds().height, kCellHeight) - origin.y);
  }
  scene.width = x - origin.x;
}

void lay_out_grids(Scene& scene, Grid* first, Grid* second) {
  for (Grid& grid : scene.grids) lay_out_cells(grid, cell_width(grid));
  if (first != nullptr && second != nullptr && scene.downwards) {
    const Units cell = std::max(cell_width(*first), cell_width(*second));
    lay_out_cells(*first, cell);
    lay_out_cells(*second, cell);
    first->label_width = second->label_width = std::max(first->label_width, second->label_width);
  }
  for (Grid& grid : scene.grids) lay_out_blocks(grid, block_size(grid));
  if (first != nullptr && second != nullptr) {
    const Units pitch = std::max(block_size(*first), block_size(*second));
    lay_out_blocks(*first, pitch);
    lay_out_blocks(*second, pitch);
  }
}

}  // namespace strew::picture
