// The scene of a call: its operands as grids, placed so that arrows run through one gutter.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "picture/grid.h"
#include "strew/error.h"
#include "strew/picture.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::picture {

/// ONNX's names of the operands.
struct Names {
  std::string_view data;
  std::string_view indices;
  std::string_view updates;
  std::string_view output;
};
Names names_of(OpKind op) noexcept;

/// "float32 [4, 2]"
std::string type_text(const TensorView& view);

/// The labels of the shown rows, block by block: "3" or "0,3"; "" for a gap.
std::vector<std::string> row_labels(const Grid& grid);

struct Scene {
  std::vector<Grid> grids;  ///< in reading order
  /// Numbers of grids; -1 if absent. Arrows join `source` and `target`; the grid of indices lies beside one of
  /// them.
  int data = -1;
  int indices = -1;
  int updates = -1;
  int output = -1;
  bool downwards = false;  ///< arrows run down; else to the right
  bool aligned = false;    ///< each index lies beside its slice of the positions
  Units width = 0;
  Units height = 0;

  const Grid& grid(int at) const { return grids[static_cast<std::size_t>(at)]; }
  /// The grids of the slices of an arrow: data of a gather or output of a scatter, and updates or output.
  const Grid& moved_data(bool scatter) const { return grid(scatter ? output : data); }
  const Grid& positions(bool scatter) const { return grid(scatter ? updates : output); }
};

/// A call that runs: `output` is its result.
Scene lay_out(const Plan& plan, const Operands& operands, const TensorView& output, const Trace& trace,
              Point origin);

/// The inputs of a rejected call. `bad` is the position of the offending index value, or null.
Scene lay_out_rejected(OpKind op, const Operands& operands, const Shape* bad, Point origin);

/// The slice of `indices` of an arrow: all components of its tuple.
Shape index_slice(const Plan& plan, const Arrow& arrow);

/// Sizes the cells and blocks of all grids; `first` and `second` get equal sizes across the arrows.
void lay_out_grids(Scene& scene, Grid* first, Grid* second);

/// Places grids below each other, with names to the left. Arrows run before the grid `gutter_before`.
void place_downwards(Scene& scene, Point origin, int gutter_before);

/// Places grids beside each other, with names above.
void place_rightwards(Scene& scene, Point origin, int gutter_before);

}  // namespace strew::picture
