// Draws the operands of a rejected call and marks the subject of its error.
#include "picture/draw_rejected.h"

#include <algorithm>

#include "core/error.h"
#include "picture/cells.h"
#include "picture/painter.h"
#include "picture/scene.h"

namespace strew::picture {
namespace {

constexpr TextStyle kMessage{130, false, true, 's', Paint::kError};

// Marks the operand and dimension of an error.
void blame(Scene& scene, OpKind op, const Subject& subject) {
  const auto mark = [axis = subject.axis.value_or(-1)](Grid& grid) {
    grid.wrong = true;
    grid.wrong_axis = axis;
    return axis >= 0 && axis + 1 < grid.view.rank();
  };
  const auto at = std::ranges::find(scene.grids, std::string_view(subject.operand), &Grid::name);
  if (at == scene.grids.end()) return;
  const bool before_tuples = mark(*at);
  // Wrong dimensions of indices are batch dimensions here, which data has as well.
  if (op == OpKind::kGatherND && at->name == "indices" && before_tuples)
    mark(scene.grids[static_cast<std::size_t>(scene.data)]);
}

}  // namespace

std::string draw_rejected(OpKind op, const Operands& operands, const Error& error, std::string_view title) {
  Scene scene = lay_out_rejected(op, operands, error.position() ? &*error.position() : nullptr, kOrigin);
  if (error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kInvalidType)
    blame(scene, op, error.subject());
  const std::string message = error.message();
  Painter painter;
  painter.title(title, "refused");
  for (std::size_t i = 0; i < scene.grids.size(); ++i) {
    const Grid& grid = scene.grids[i];
    Marks marks;
    if (static_cast<int>(i) == scene.indices && error.position() && error.position()->rank() == grid.view.rank()) {
      for_each_cell(grid, *error.position(), [&](const Slots& at, bool) { marks[at].bad = true; });
    }
    painter.grid(grid, marks, false, false);
  }
  Units y = kOrigin.y + scene.height + pixels(30);
  const Units width = std::max(scene.width, kTextWidth);
  painter.paragraph(y, message, kMessage, width);
  painter.paragraph(y, "The call was refused; nothing was written.", kNote, width);
  return painter.finish(scene.width, y, std::string(title) + ", refused", message);
}

}  // namespace strew::picture
