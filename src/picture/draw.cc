// Draws a call as an SVG.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "picture/grid.h"
#include "picture/painter.h"
#include "picture/scene.h"
#include "picture/words.h"
#include "strew/picture.h"
#include "strew/tensor.h"

namespace strew {
namespace picture {
namespace {

constexpr Units kTextWidth = pixels(640);
constexpr Point kOrigin = {kMargin, pixels(58)};
constexpr TextStyle kNote{125, false, false, 's', Paint::kDim};
constexpr TextStyle kRule{125, true};

// Calls `body(slots, first)` for each shown cell of a slice; `first` is true for the first cell of each box.
template <class Body>
void for_each_cell(const Grid& grid, const Shape& slice, const Body& body) {
  for (const Box& box : grid.boxes(slice)) {
    const Slots first{box.block, box.first_row, box.first_column};
    for (std::size_t r = box.first_row; r <= box.last_row; ++r) {
      for (std::size_t c = box.first_column; c <= box.last_column; ++c) {
        const Slots at{box.block, r, c};
        if (!is_gap(grid, at)) body(at, at == first);
      }
    }
  }
}

// The picture of an accepted call.
class Picture {
 public:
  Picture(const Plan& plan, const Operands& operands, const Trace& trace, const TensorView& output,
          std::int64_t applied)
      : plan_(plan),
        trace_(trace),
        scene_(lay_out(plan, operands, output, trace, kOrigin)),
        scatter_(plan.is_scatter()),
        applied_(static_cast<std::size_t>(applied)),
        marks_(scene_.grids.size()) {
    for (std::size_t i = 0; i < trace_.arrows.size(); ++i) mark_arrow(i);
    if (applied_ < trace_.arrows.size()) take_back();
  }

  std::string draw(std::string_view title) const {
    Painter painter;
    const std::string attributes = attributes_text(plan_);
    painter.title(title, attributes);
    const bool plain = scatter_ && plan_.reduction() == Reduction::kNone;
    for (std::size_t i = 0; i < scene_.grids.size(); ++i) {
      painter.grid(scene_.grids[i], marks_[i], scene_.downwards, plain && static_cast<int>(i) == scene_.output);
    }
    const Lines lines = draw_lines(plan_, trace_, scene_);
    outline_slices(painter, lines);
    for (const Line& line : lines.lines) {
      if (line.stub) {
        painter.stub(line, scatter_);
      } else if (line.arrow < applied_) {
        painter.line(line, scene_.downwards);
      }
    }

    Units y = kOrigin.y + scene_.height + pixels(30);
    const Units width = std::max(scene_.width, kTextWidth);
    painter.paragraph(y, value_rule(plan_), kRule, width);
    painter.paragraph(y, shape_rule(plan_), kRule, width);
    if (plan_.tuples()) painter.paragraph(y, tuple_rule(plan_), kRule, width);
    for (const std::string& note : notes(plan_, trace_, lines.arrows)) painter.paragraph(y, note, kNote, width);
    const std::string head = std::string(title) + (attributes.empty() ? "" : ", " + attributes);
    return painter.finish(scene_.width, y, head, description(plan_, trace_));
  }

 private:
  int positions() const { return scatter_ ? scene_.updates : scene_.output; }
  int moved() const { return scatter_ ? scene_.output : scene_.data; }
  const Grid& grid(int at) const { return scene_.grid(at); }
  Marks& marks(int at) { return marks_[static_cast<std::size_t>(at)]; }

  void mark_arrow(std::size_t number) {
    const Arrow& arrow = trace_.arrows[number];
    for_each_cell(grid(positions()), arrow.position, [&](const Slots& at, bool first) {
      Mark& mark = marks(positions())[at];
      mark.add(number, first);
      mark.faded = arrow.dropped && scatter_;
    });
    const bool moves = !arrow.dropped && (!scatter_ || number < applied_);
    if (moves) {
      for_each_cell(grid(moved()), arrow.data,
                    [&](const Slots& at, bool first) { marks(moved())[at].add(number, first); });
    }
    if (scene_.indices >= 0) mark_index(number);
  }

  // Marks the cells of an index. Below each value, writes "drop", "fill", or the selected position if it differs.
  void mark_index(std::size_t number) {
    const Arrow& arrow = trace_.arrows[number];
    const Grid& indices = grid(scene_.indices);
    for_each_cell(indices, index_slice(plan_, arrow), [&](const Slots& at, bool first) {
      Mark& mark = marks(scene_.indices)[at];
      mark.add(number, first);
      if (plan_.op() == OpKind::kTensorScatter) return;  // write_indices[b] selects only the first position
      const auto& [b, r, c] = at;
      const std::int64_t component = plan_.tuples() ? indices.columns.shown()[c] : 0;
      if (arrow.dropped) {
        mark.note = scatter_ ? "drop" : "fill";
      } else {
        const std::string element = concat(arrow.data[plan_.indexed_axes()[component]]);
        if (element != indices.full_text(indices.coordinate(b, r, c))) mark.note = "\u2192 " + element;
      }
    });
  }

  // Shows the output as it is after `applied_` arrows. (For reductions, draw_run computes this output.)
  void take_back() {
    const Grid& output = grid(scene_.output);
    if (!scatter_) {
      for (std::size_t i = applied_; i < trace_.arrows.size(); ++i) {
        for_each_cell(output, trace_.arrows[i].position,
                      [&](const Slots& at, bool) { marks(scene_.output)[at].value = ""; });
      }
    } else if (plan_.reduction() == Reduction::kNone) {
      for (std::size_t i = 0; i < trace_.arrows.size(); ++i) {
        for_each_cell(output, trace_.arrows[i].data, [&](const Slots& at, bool) {
          const auto& [b, r, c] = at;
          const Shape element = output.coordinate(b, r, c);
          Mark& mark = marks(scene_.output)[at];
          if (i < applied_) {
            mark.value = grid(scene_.updates).cell_text(position_of(trace_.arrows[i], element));
          } else if (!mark.value) {
            mark.value = grid(scene_.data).cell_text(element);
          }
        });
      }
    }
  }

  // Returns the coordinate in updates of the element that an arrow moves to `element` of the output. The axes that
  // are kWholeAxis in Arrow::position and in Arrow::data are in the same order.
  static Shape position_of(const Arrow& arrow, const Shape& element) {
    Shape position = arrow.position;
    std::int64_t axis = 0;
    for (std::int64_t d = 0; d < element.rank(); ++d) {
      if (arrow.data[d] != kWholeAxis) continue;
      while (position[axis] != kWholeAxis) ++axis;
      position[axis++] = element[d];
    }
    return position;
  }

  // Outlines slices of several cells; outlines of colliding arrows are nested.
  void outline_slices(Painter& painter, const Lines& lines) const {
    std::set<std::size_t> drawn;
    std::set<std::size_t> losers;
    for (const Line& line : lines.lines) {
      if (line.stub) continue;
      drawn.insert(line.arrow);
      if (line.loses) losers.insert(line.arrow);
    }
    std::map<std::pair<Units, Units>, Units> times;  // number of outlines at each upper left corner
    const auto outline = [&](int which, const Shape& slice, std::size_t arrow, bool loses) {
      for (const Box& box : grid(which).boxes(slice)) {
        if (box.first_row == box.last_row && box.first_column == box.last_column) continue;
        const Rect rect = grid(which).area(box);
        painter.outline(rect.inset(10 + 25 * std::min<Units>(times[{rect.x, rect.y}]++, 4)), arrow, loses);
      }
    };
    for (const std::size_t i : drawn) {
      const Arrow& arrow = trace_.arrows[i];
      outline(positions(), arrow.position, i, false);
      if (i < applied_ || !scatter_) outline(moved(), arrow.data, i, losers.count(i) > 0);
      if (plan_.tuples()) outline(scene_.indices, index_slice(plan_, arrow), i, false);
    }
  }

  const Plan& plan_;
  const Trace& trace_;
  Scene scene_;
  bool scatter_;
  std::size_t applied_;
  std::vector<Marks> marks_;
};

// Returns a plan of the same scatter that drops updates whose index values are out of bounds.
Result<Plan> cut_plan(const Plan& plan, const TensorView& indices) {
  CallParams params = plan.params();
  params.rules = {OutOfBounds::kDrop};
  params.alpha = plan.alpha();
  return make_plan(params, plan.data(), indices, TensorSpec(plan.dtype(), plan.position_shape()));
}

// Returns the index values of the arrows to apply, and out-of-range values for the others.
std::vector<std::int64_t> cut_indices(const Plan& plan, const Trace& trace, std::int64_t applied) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < trace.arrows.size(); ++i) {
    const Arrow& arrow = trace.arrows[i];
    const bool applies = static_cast<std::int64_t>(i) < applied && !arrow.dropped;
    for (const std::int64_t axis : plan.indexed_axes()) {
      values.push_back(applies ? arrow.data[axis] : plan.data().shape[axis]);
    }
  }
  return values;
}

Result<std::string> draw_run(const Plan& plan, const Operands& operands, const PictureOptions& options,
                             std::string_view title) {
  STREW_ASSIGN(const auto& traced, trace(plan, operands));
  STREW_ASSIGN(auto&& output, Tensor::uninitialized(plan.dtype(), plan.output_shape()));
  const Options serial{.executor = &serial_executor()};
  STREW_TRY(run(plan, operands, output.mutable_view(), serial));

  const auto held = static_cast<std::int64_t>(traced.arrows.size());
  const std::int64_t applied = std::clamp<std::int64_t>(options.applied, 0, held);
  if (applied < held && held == traced.count && plan.reduction() != Reduction::kNone &&
      !plan.indexed_axes().empty()) {
    const std::vector<std::int64_t> values = cut_indices(plan, traced, applied);
    const TensorView indices(values, plan.indices().shape);
    STREW_ASSIGN(const auto& cut, cut_plan(plan, indices));
    const Operands again{operands.data, indices, operands.updates};
    STREW_TRY(run(cut, again, output.mutable_view(), serial));
  }
  return Picture(plan, operands, traced, output, applied).draw(title);
}

constexpr TextStyle kMessage{130, false, true, 's', Paint::kError};

// Marks the operand and the dimension that an error is about.
void blame(Scene& scene, OpKind op, const Subject& subject) {
  const auto mark = [axis = subject.axis.value_or(-1)](Grid& grid) {
    grid.wrong = true;
    grid.wrong_axis = axis;
    return axis >= 0 && axis + 1 < grid.view.rank();
  };
  const auto at = std::ranges::find(scene.grids, std::string_view(subject.operand), &Grid::name);
  if (at == scene.grids.end()) return;
  const bool before_tuples = mark(*at);
  // A dimension of indices before the last is wrong only if it is a batch dimension that differs from data's.
  if (op == OpKind::kGatherND && at->name == "indices" && before_tuples)
    mark(scene.grids[static_cast<std::size_t>(scene.data)]);
}

// Draws the operands of a rejected call and marks the subject of its error.
std::string draw_rejected(OpKind op, const Operands& operands, const Error& error, std::string_view title) {
  Scene scene = lay_out_rejected(op, operands, error.position() ? &*error.position() : nullptr, kOrigin);
  if (error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kInvalidType)
    blame(scene, op, error.subject());
  const std::string message = error.message();
  Painter painter;
  painter.title(title, "rejected");
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
  painter.paragraph(y, "The call was rejected; nothing was written.", kNote, width);
  return painter.finish(scene.width, y, std::string(title) + ", rejected", message);
}

}  // namespace
}  // namespace picture

std::string draw(OpKind op, const Result<Plan>& plan, const Operands& operands, const PictureOptions& options) {
  const std::string_view title = options.title.empty() ? op_name(op) : options.title;
  if (!plan) return picture::draw_rejected(op, operands, plan.error(), title);
  const auto drawn = picture::draw_run(*plan, operands, options, title);
  return drawn ? *drawn : picture::draw_rejected(op, operands, drawn.error(), title);
}

}  // namespace strew
