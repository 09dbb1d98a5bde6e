// Computes sizes of cells and places grids one after the other.
#include <algorithm>

#include "picture/painter.h"

namespace strew::picture {
namespace {

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
