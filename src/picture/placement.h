// Where the grids of a scene lie.
#pragma once

#include "picture/scene.h"

namespace strew::picture {

/// Cells and blocks of all grids; those of `first` and `second` get the same along the way of the arrows.
void lay_out_grids(Scene& scene, Grid* first, Grid* second);

/// Below each other, with their names to the left. Arrows run before the grid `gutter_before`.
void place_downwards(Scene& scene, Point origin, int gutter_before);

/// Beside each other, with their names above.
void place_rightwards(Scene& scene, Point origin, int gutter_before);

}  // namespace strew::picture
