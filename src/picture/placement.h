// Places the grids of a scene.
#pragma once

#include "picture/scene.h"

namespace strew::picture {

/// Sizes the cells and blocks of all grids; `first` and `second` get equal sizes across the arrows.
void lay_out_grids(Scene& scene, Grid* first, Grid* second);

/// Places grids below each other, with names to the left. Arrows run before the grid `gutter_before`.
void place_downwards(Scene& scene, Point origin, int gutter_before);

/// Places grids beside each other, with names above.
void place_rightwards(Scene& scene, Point origin, int gutter_before);

}  // namespace strew::picture
