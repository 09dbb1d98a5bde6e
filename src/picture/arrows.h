// Arrows: their ends at the edges of grids, spread so that they do not tangle.
#pragma once

#include <cstddef>
#include <vector>

#include "picture/scene.h"

namespace strew::picture {

/// A line from one grid to another: one for each block that a slice is shown in.
struct Line {
  std::size_t arrow;  ///< its place in the trace
  Point from;
  Point to;
  bool loses = false;  ///< a later plain assignment has the same destination
  bool stub = false;   ///< of an arrow that is left out: a short line at one grid, that leads nowhere
};

struct Lines {
  std::vector<Line> lines;
  std::size_t arrows = 0;  ///< so many of the trace have one
};

/// Lines of the first arrows both of whose ends are shown, not too many to be followed by eye.
Lines draw_lines(const Plan& plan, const Trace& trace, const Scene& scene);

}  // namespace strew::picture
