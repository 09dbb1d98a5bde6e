// Computes the lines of arrows.
#include <algorithm>
#include <map>

#include "picture/scene.h"
#include "picture/words.h"

namespace strew::picture {
namespace {

constexpr std::int64_t kFewArrows = 20;  // maximum number of arrows that the eye can follow
constexpr std::size_t kDrawnOfMany = 12;
constexpr std::size_t kMaxLines = 60;
constexpr Units kSpread = pixels(6);
constexpr Units kStub = pixels(26);

// The grid at one end of a line, and the edge of the grid that the line meets.
struct Side {
  const Grid& grid;
  bool before;  // true: the arrow ends at the grid; false: it starts there
  bool downwards;

  Point meet(const Box& box) const {
    const Rect area = grid.area(box);
    const Rect all = grid.bounds();
    if (downwards) {
      const Units top = all.y - (grid.column_labels ? pixels(17) : pixels(3));
      return {area.x + area.width / 2, before ? top : all.y + grid.rows.length() + pixels(3)};
    }
    const Units left = all.x - (grid.row_labels ? grid.label_width + pixels(2) : pixels(3));
    return {before ? left : all.x + grid.columns.length() + pixels(3), area.y + area.height / 2};
  }
};

// Moves apart ends that share a point, in the order of their opposite ends.
void spread(std::vector<Line>& lines, Point Line::*end, Point Line::*other, Units Point::*along, Units length) {
  std::map<Units, std::vector<std::size_t>> ends_at;
  for (std::size_t i = 0; i < lines.size(); ++i) ends_at[(lines[i].*end).*along].push_back(i);
  for (auto& [place, list] : ends_at) {
    const auto count = static_cast<Units>(list.size());
    std::stable_sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
      return (lines[a].*other).*along < (lines[b].*other).*along;
    });
    const Units step = std::min(kSpread, length / count);
    for (Units i = 0; i < count; ++i) {
      (lines[list[static_cast<std::size_t>(i)]].*end).*along += (2 * i - (count - 1)) * step / 2;
    }
  }
}

}  // namespace

Lines draw_lines(const Plan& plan, const Trace& trace, const Scene& scene) {
  const bool scatter = plan.is_scatter();
  const Grid& beside = scene.aligned ? scene.grid(scene.indices) : scene.positions(scatter);
  const Side source{scatter ? beside : scene.grid(scene.data), false, scene.downwards};
  const Side target{scatter ? scene.grid(scene.output) : beside, true, scene.downwards};
  const Side& positions = scatter ? source : target;

  std::vector<bool> loses(trace.arrows.size(), false);
  if (scatter && plan.reduction() == Reduction::kNone) {
    for (const auto& group : collisions(trace)) {
      for (std::size_t i = 0; i + 1 < group.size(); ++i) loses[group[i]] = true;
    }
  }
  const std::size_t most = trace.count <= kFewArrows ? trace.arrows.size() : kDrawnOfMany;
  Lines all;
  for (std::size_t i = 0; i < trace.arrows.size(); ++i) {
    if (all.arrows == most || all.lines.size() >= kMaxLines) break;
    const Arrow& arrow = trace.arrows[i];
    const Shape own = scene.aligned ? index_slice(plan, arrow) : arrow.position;
    const std::vector<Box> at = positions.grid.boxes(own);
    if (at.empty()) continue;
    if (arrow.dropped) {
      const Point end = positions.meet(at.front());
      all.lines.push_back({i, end, end, false, true});
      ++all.arrows;
      continue;
    }
    const std::vector<Box> data = (scatter ? target : source).grid.boxes(arrow.data);
    if (data.empty()) continue;
    ++all.arrows;
    const std::vector<Box>& from = scatter ? at : data;
    const std::vector<Box>& to = scatter ? data : at;
    const std::size_t count =
        from.size() == 1 || to.size() == 1 ? std::max(from.size(), to.size()) : std::min(from.size(), to.size());
    for (std::size_t part = 0; part < count; ++part) {
      all.lines.push_back({i, source.meet(from[std::min(part, from.size() - 1)]),
                           target.meet(to[std::min(part, to.size() - 1)]), loses[i]});
    }
  }
  Units Point::*const along = scene.downwards ? &Point::x : &Point::y;
  spread(all.lines, &Line::from, &Line::to, along, pixels(26));
  spread(all.lines, &Line::to, &Line::from, along, pixels(26));
  for (Line& line : all.lines) {
    if (!line.stub) continue;
    Point& end = scatter ? line.to : line.from;
    end = scatter ? line.from : line.to;
    (scene.downwards ? end.y : end.x) += scatter ? kStub : -kStub;
  }
  return all;
}

}  // namespace strew::picture
