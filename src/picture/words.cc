// Writes the sentences of pictures.
#include "picture/words.h"

#include <algorithm>

#include "core/error.h"
#include "core/utf8.h"
#include "picture/grid.h"
#include "picture/scene.h"
#include "strew/element.h"

namespace strew::picture {
namespace {

constexpr std::size_t kMaxCollisions = 2;
constexpr std::size_t kMaxListed = 6;  // maximum number of arrows listed in a sentence
constexpr std::size_t kMaxDescribed = 12;

std::string join_numbers(const std::vector<std::size_t>& arrows) {
  std::string text;
  for (std::size_t i = 0; i < std::min(arrows.size(), kMaxListed); ++i) {
    const bool last = i + 1 == arrows.size();
    if (i > 0) text += last ? " and " : ", ";
    text += concat(arrows[i] + 1);
  }
  return text + (arrows.size() > kMaxListed ? ", \u2026" : "");
}

std::string collision_text(const Plan& plan, const Trace& trace, const std::vector<std::size_t>& arrows) {
  const std::string text = concat("Updates ", join_numbers(arrows), " meet in ", names_of(plan.op()).output,
                                  slice_text(trace.arrows[arrows.front()].data), ": ");
  const std::string_view self = plan.include_self() ? " and the value in data" : "";
  const std::string_view each = plan.include_self() ? "each" : "each but the first";
  switch (plan.reduction()) {
    case Reduction::kNone:
      return concat(text, "the last one, ", arrows.back() + 1, ", wins.");
    case Reduction::kMax:
    case Reduction::kMin:
    case Reduction::kMean:
      return concat(text, "the result is the ", reduction_name(plan.reduction()), " of them", self, '.');
    case Reduction::kAdd:
      return concat(text, each, " is added to it, in this order.");
    case Reduction::kSub:
      return concat(text, each, " is subtracted from it, in this order.");
    case Reduction::kMul:
      return concat(text, "it is multiplied by ", each, ", in this order.");
    case Reduction::kDiv:
      return concat(text, "it is divided by ", each, ", in this order.");
    default:
      return concat(text, each, " is combined with it by bitwise ", reduction_name(plan.reduction()), '.');
  }
}

// Explains `include_self = false` for reductions whose formula does not show it.
std::string first_text(const Plan& plan) {
  const bool said = plan.reduction() == Reduction::kNone || plan.reduction() == Reduction::kMean;
  return said || plan.include_self() ? "" : "The first update of an element replaces its value in data.";
}

std::string out_of_bounds_text(const Plan& plan, const Trace& trace) {
  const auto count = static_cast<std::int64_t>(std::count_if(
      trace.arrows.begin(), trace.arrows.end(), [](const Arrow& arrow) { return arrow.out_of_bounds; }));
  if (count == 0) return {};
  const std::string said = count == 1 ? std::string("1 index is") : concat(count, " indices are");
  switch (plan.rules().out_of_bounds) {
    case OutOfBounds::kClip:
      return said + " outside the axis and clipped to its first or last position.";
    case OutOfBounds::kWrap:
      return said + " outside the axis and taken modulo its length.";
    case OutOfBounds::kDrop:
      return said + " outside the axis: updates marked \u00d7 are dropped.";
    default:
      return said + " outside the axis: output elements marked \u00d7 are filled.";
  }
}

}  // namespace

std::string attributes_text(const Plan& plan) {
  std::vector<std::string> words;
  const auto say = [&](std::string_view name, const std::string& value) {
    words.push_back(std::string(name) + '=' + value);
  };
  if (!plan.tuples()) say("axis", concat(plan.indexed_axes().front()));
  if (plan.op() == OpKind::kGatherND && plan.params().batch_dims > 0)
    say("batch_dims", concat(plan.params().batch_dims));
  if (plan.reduction() != Reduction::kNone) say("reduction", std::string(reduction_name(plan.reduction())));
  if (!plan.include_self()) say("include_self", "false");
  if (plan.acc_dtype() != AccDType::kData) say("acc_dtype", std::string(acc_dtype_name(plan.acc_dtype())));
  if (const auto alpha = plan.alpha()) say("alpha", element_text(plan.dtype(), alpha->data(), 0));
  if (plan.op() == OpKind::kTensorScatter) say("mode", std::string(write_mode_name(plan.mode())));
  const IndexRules usual;
  if (plan.rules().out_of_bounds != usual.out_of_bounds) {
    say("out_of_bounds", std::string(out_of_bounds_name(plan.rules().out_of_bounds)));
  }
  if (plan.rules().negative_indices != usual.negative_indices) {
    say("negative_indices", std::string(negative_indices_name(plan.rules().negative_indices)));
  }
  return join(words, ", ");
}

std::vector<std::vector<std::size_t>> collisions(const Trace& trace) {
  const auto before = [&](std::size_t a, std::size_t b) {
    const Shape& x = trace.arrows[a].data;
    const Shape& y = trace.arrows[b].data;
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  };
  std::vector<std::size_t> sorted;
  for (std::size_t i = 0; i < trace.arrows.size(); ++i) {
    if (!trace.arrows[i].dropped) sorted.push_back(i);
  }
  std::stable_sort(sorted.begin(), sorted.end(), before);
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && !before(sorted[begin], sorted[end])) ++end;
    if (end - begin > 1)
      groups.emplace_back(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                          sorted.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

std::vector<std::string> notes(const Plan& plan, const Trace& trace, std::size_t drawn) {
  std::vector<std::string> lines;
  if (plan.is_scatter()) {
    if (std::string text = first_text(plan); !text.empty()) lines.push_back(std::move(text));
    const auto groups = collisions(trace);
    for (std::size_t i = 0; i < std::min(groups.size(), kMaxCollisions); ++i) {
      lines.push_back(collision_text(plan, trace, groups[i]));
    }
    if (groups.size() > kMaxCollisions) {
      lines.push_back("Updates also meet in " + counted(groups.size() - kMaxCollisions, "other place") + '.');
    }
  }
  if (std::string text = out_of_bounds_text(plan, trace); !text.empty()) lines.push_back(std::move(text));
  if (static_cast<std::int64_t>(drawn) < trace.count) {
    lines.push_back(concat("Only ", drawn, " of ", trace.count, " arrows are drawn."));
  }
  return lines;
}

std::string description(const Plan& plan, const Trace& trace) {
  const Names names = names_of(plan.op());
  const bool scatter = plan.is_scatter();
  std::string text = value_rule(plan) + ". " + shape_rule(plan) + '.';
  for (std::size_t i = 0; i < std::min(trace.arrows.size(), kMaxDescribed); ++i) {
    const Arrow& arrow = trace.arrows[i];
    const std::string positions = std::string(scatter ? names.updates : names.output) + slice_text(arrow.position);
    const std::string data = std::string(scatter ? names.output : names.data) + slice_text(arrow.data);
    text += concat(' ', i + 1, ": ");
    if (arrow.dropped) {
      text += positions + (scatter ? " is dropped." : " is filled.");
    } else {
      text += concat(scatter ? positions : data, " to ", scatter ? data : positions, '.');
    }
  }
  if (trace.count > static_cast<std::int64_t>(kMaxDescribed)) {
    text += concat(" And ", trace.count - static_cast<std::int64_t>(kMaxDescribed), " more.");
  }
  for (const std::string& note : notes(plan, trace, trace.arrows.size())) text += ' ' + note;
  return text;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t most) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t count = 0;  // number of characters
  std::size_t space = std::string::npos;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (!next_utf8(text, at)) at = begin + 1;
    if (text[begin] == ' ') space = line.size();
    line += text.substr(begin, at - begin);
    if (++count <= most) continue;
    const std::size_t cut = space == std::string::npos || space == 0 ? line.size() : space;
    lines.push_back(line.substr(0, cut));
    line.erase(0, std::min(line.size(), cut + (cut < line.size() ? 1 : 0)));
    count = line.size();
    space = std::string::npos;
  }
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

}  // namespace strew::picture
