// Sentences of pictures.
#include "picture/words.h"

#include <algorithm>

#include "core/error.h"
#include "core/utf8.h"
#include "picture/grid.h"
#include "picture/scene.h"
#include "strew/element.h"

namespace strew::picture {
namespace {

constexpr std::size_t kMostMeetings = 2;
constexpr std::size_t kMostListed = 6;  // arrows in a sentence
constexpr std::size_t kMostDescribed = 12;

Shape part(const Shape& shape, std::int64_t begin, std::int64_t end) {
  Shape dims;
  for (std::int64_t axis = begin; axis < end; ++axis) dims.push_back(shape[axis]);
  return dims;
}

// Of tuples: batch_dims, or 0.
std::int64_t first_axis(const Plan& plan) { return plan.indexed_axes().empty() ? 0 : plan.indexed_axes().front(); }

// "i, j", for so many axes.
std::string letters(std::int64_t count, char first = 'i') {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += static_cast<char>(i < 8 ? first + i : '?');
  }
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

// "[]" means the whole of it.
std::string subscripted(std::string_view name, const std::vector<std::string>& subscripts) {
  return std::string(name) + (subscripts.empty() ? "" : '[' + joined(subscripts) + ']');
}

std::string shape_sum(const std::vector<Shape>& parts) {
  std::string text;
  Shape all;
  for (const Shape& dims : parts) {
    if (dims.empty() && parts.size() > 1) continue;
    if (!text.empty()) text += " + ";
    text += to_string(dims);
    for (const std::int64_t dim : dims) all.push_back(dim);
  }
  const std::string result = to_string(all);
  return text == result || text.empty() ? result : text + " = " + result;
}

// "+=" for those that have one sign in the languages of callers; "" for the others.
std::string_view sign_of(Reduction reduction) noexcept {
  switch (reduction) {
    case Reduction::kNone:
      return "=";
    case Reduction::kAdd:
      return "+=";
    case Reduction::kSub:
      return "-=";
    case Reduction::kMul:
      return "*=";
    case Reduction::kDiv:
      return "/=";
    case Reduction::kAnd:
      return "&=";
    case Reduction::kOr:
      return "|=";
    case Reduction::kXor:
      return "^=";
    default:
      return "";
  }
}

// `place`: the subscripts of what an update goes to; `update`: those of the update.
std::string assigned(const Plan& plan, const std::string& place, const std::string& update) {
  const std::string to = "output" + place;
  const std::string_view times = plan.scales() ? "alpha * " : "";
  if (plan.reduction() == Reduction::kMean) {
    const std::string self = plan.include_self() ? concat("data", place, ", ") : std::string();
    return concat(to, " = mean(", self, times, "all its updates)");
  }
  const std::string from = concat(times, "updates", update);
  const std::string_view sign = sign_of(plan.reduction());
  if (!sign.empty()) return concat(to, ' ', sign, ' ', from);
  return concat(to, " = ", reduction_name(plan.reduction()), '(', to, ", ", from, ')');
}

std::string elements_rule(const Plan& plan) {
  const std::int64_t rank = plan.data().shape.rank();
  const std::int64_t axis = plan.indexed_axes().front();
  std::vector<std::string> own;
  std::vector<std::string> chosen;
  for (std::int64_t d = 0; d < rank; ++d) {
    own.push_back(std::string(1, static_cast<char>(d < 8 ? 'i' + d : '?')));
    chosen.push_back(own.back());
  }
  chosen[static_cast<std::size_t>(axis)] = subscripted("indices", own);
  return plan.is_scatter() ? assigned(plan, subscripted("", chosen), subscripted("", own))
                           : subscripted("output", own) + " = " + subscripted("data", chosen);
}

std::string tuples_rule(const Plan& plan) {
  const std::int64_t lead = plan.indices().shape.rank() - 1;
  const std::int64_t batches = first_axis(plan);
  const std::string at = letters(lead);
  const std::string tuple = lead == 0 ? "indices" : "indices[" + at + ']';
  const std::string one_of_many = lead == 0 ? "" : '[' + at + ']';
  const std::string slice = batches == 0 ? "[tuple(" + tuple + ")]" : '[' + letters(batches) + ", *" + tuple + ']';
  return plan.is_scatter() ? assigned(plan, slice, one_of_many) : "output" + one_of_many + " = data" + slice;
}

std::string gather_rule(const Plan& plan) {
  const std::int64_t axis = plan.indexed_axes().front();
  const std::int64_t rank = plan.data().shape.rank();
  const std::string at = letters(plan.indices().shape.rank());
  std::vector<std::string> to;
  std::vector<std::string> from;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (d != axis) {
      to.emplace_back(":");
      from.emplace_back(":");
      continue;
    }
    if (!at.empty()) to.push_back(at);
    from.push_back(at.empty() ? "indices" : "indices[" + at + ']');
  }
  return subscripted("output", to) + " = " + subscripted("data", from);
}

std::string tensor_scatter_rule(const Plan& plan) {
  const std::int64_t axis = plan.indexed_axes().front();
  const std::string start = plan.has_indices() ? "write_indices[b] + s" : "s";
  const bool circular = plan.mode() == WriteMode::kCircular;
  const std::string place = circular ? '(' + start + ") % " + concat(plan.data().shape[axis]) : start;
  std::vector<std::string> to(static_cast<std::size_t>(plan.data().shape.rank()), ":");
  to[0] = "b";
  std::vector<std::string> from = to;
  to[static_cast<std::size_t>(axis)] = place;
  from[static_cast<std::size_t>(axis)] = "s";
  return subscripted("present_cache", to) + " = " + subscripted("update", from);
}

std::string list_of(const std::vector<std::size_t>& arrows) {
  std::string text;
  for (std::size_t i = 0; i < std::min(arrows.size(), kMostListed); ++i) {
    const bool last = i + 1 == arrows.size();
    if (i > 0) text += last ? " and " : ", ";
    text += concat(arrows[i] + 1);
  }
  return text + (arrows.size() > kMostListed ? ", \u2026" : "");
}

std::string meeting_text(const Plan& plan, const Trace& trace, const std::vector<std::size_t>& arrows) {
  const std::string text = concat("Updates ", list_of(arrows), " meet in ", names_of(plan.op()).output,
                                  slice_text(trace.arrows[arrows.front()].data), ": ");
  const std::string_view self = plan.include_self() ? " and the value in data" : "";
  const std::string_view each = plan.include_self() ? "each" : "each but the first";
  switch (plan.reduction()) {
    case Reduction::kNone:
      return concat(text, "the last one, ", arrows.back() + 1, ", wins.");
    case Reduction::kMax:
    case Reduction::kMin:
    case Reduction::kMean:
      return concat(text, "the ", reduction_name(plan.reduction()), " of them", self, " is left.");
    case Reduction::kAdd:
      return concat(text, each, " is added to it, in this order.");
    case Reduction::kSub:
      return concat(text, each, " is subtracted from it, in this order.");
    case Reduction::kMul:
      return concat(text, "it is multiplied by ", each, ", in this order.");
    case Reduction::kDiv:
      return concat(text, "it is divided by ", each, ", in this order.");
    default:
      return concat(text, each, " is combined with it by ", reduction_name(plan.reduction()), '.');
  }
}

// Of reductions whose rule does not say it.
std::string first_text(const Plan& plan) {
  const bool said = plan.reduction() == Reduction::kNone || plan.reduction() == Reduction::kMean;
  return said || plan.include_self() ? "" : "The first update of an element takes the place of its value in data.";
}

std::string outside_text(const Plan& plan, const Trace& trace) {
  const auto outside = static_cast<std::int64_t>(
      std::count_if(trace.arrows.begin(), trace.arrows.end(), [](const Arrow& arrow) { return arrow.outside; }));
  if (outside == 0) return {};
  const std::string count = outside == 1 ? std::string("1 index is") : concat(outside, " indices are");
  switch (plan.rules().out_of_bounds) {
    case OutOfBounds::kClip:
      return count + " outside the axis and clipped to its first or last position.";
    case OutOfBounds::kWrap:
      return count + " outside the axis and taken modulo its length.";
    case OutOfBounds::kDrop:
      return count + " outside the axis: what belongs to it is dropped (\u00d7).";
    default:
      return count + " outside the axis: what belongs to it is filled (\u00d7).";
  }
}

}  // namespace

std::string attributes_text(const Plan& plan, const Operands& operands) {
  std::vector<std::string> words;
  const auto say = [&](std::string_view name, const std::string& value) {
    words.push_back(std::string(name) + '=' + value);
  };
  if (!plan.tuples()) say("axis", concat(plan.indexed_axes().front()));
  if (plan.op() == OpKind::kGatherND && first_axis(plan) > 0) say("batch_dims", concat(first_axis(plan)));
  if (plan.reduction() != Reduction::kNone) say("reduction", std::string(reduction_name(plan.reduction())));
  if (!plan.include_self()) say("include_self", "false");
  if (plan.accumulate() != Accumulate::kData) say("accumulate", std::string(accumulate_name(plan.accumulate())));
  if (operands.alpha) say("alpha", element_text(plan.dtype(), operands.alpha->data(), 0));
  if (plan.op() == OpKind::kTensorScatter) say("mode", std::string(write_mode_name(plan.mode())));
  const IndexRules usual;
  if (plan.rules().out_of_bounds != usual.out_of_bounds) {
    say("out_of_bounds", std::string(out_of_bounds_name(plan.rules().out_of_bounds)));
  }
  if (plan.rules().negative_indices != usual.negative_indices) {
    say("negative_indices", std::string(negative_indices_name(plan.rules().negative_indices)));
  }
  return joined(words);
}

std::string shape_rule(const Plan& plan) {
  const Shape& data = plan.data().shape;
  const Shape& indices = plan.indices().shape;
  const std::int64_t rank = data.rank();
  if (plan.op() == OpKind::kTensorScatter) {
    return concat("update.shape = past_cache.shape but for axis ", plan.indexed_axes().front(), " = ",
                  plan.position_shape());
  }
  const std::string_view what = plan.is_scatter() ? "updates" : "output";
  if (plan.by_elements()) return concat(what, ".shape = indices.shape = ", indices);
  if (plan.tuples()) {
    const std::int64_t behind = first_axis(plan) + plan.indexed_axes().rank();
    return concat(what, ".shape = indices.shape[:-1] + data.shape[", first_axis(plan) > 0 ? "b+k" : "k",
                  ":] = ", shape_sum({part(indices, 0, indices.rank() - 1), part(data, behind, rank)}));
  }
  const std::int64_t axis = plan.indexed_axes().front();
  const std::string before = axis > 0 ? concat("data.shape[:", axis, "] + ") : "";
  const std::string after = axis + 1 < rank ? concat(" + data.shape[", axis + 1, ":]") : "";
  return concat("output.shape = ", before, "indices.shape", after, " = ",
                shape_sum({part(data, 0, axis), indices, part(data, axis + 1, rank)}));
}

std::string tuple_rule(const Plan& plan) {
  if (!plan.tuples()) return {};
  const std::string batches = first_axis(plan) > 0 ? concat(", b = batch_dims = ", first_axis(plan)) : "";
  return concat("k = indices.shape[-1] = ", plan.indexed_axes().rank(), batches);
}

std::string value_rule(const Plan& plan) {
  if (plan.op() == OpKind::kTensorScatter) return tensor_scatter_rule(plan);
  if (plan.tuples()) return tuples_rule(plan);
  return plan.by_elements() ? elements_rule(plan) : gather_rule(plan);
}

std::vector<std::vector<std::size_t>> meetings(const Trace& trace) {
  const auto before = [&](std::size_t a, std::size_t b) {
    const Shape& x = trace.arrows[a].data;
    const Shape& y = trace.arrows[b].data;
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  };
  std::vector<std::size_t> sorted;
  for (std::size_t i = 0; i < trace.arrows.size(); ++i) {
    if (!trace.arrows[i].left_out) sorted.push_back(i);
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
    const auto groups = meetings(trace);
    for (std::size_t i = 0; i < std::min(groups.size(), kMostMeetings); ++i) {
      lines.push_back(meeting_text(plan, trace, groups[i]));
    }
    if (groups.size() > kMostMeetings) {
      lines.push_back(concat("So do those of ", groups.size() - kMostMeetings, " other places."));
    }
  }
  if (std::string text = outside_text(plan, trace); !text.empty()) lines.push_back(std::move(text));
  if (static_cast<std::int64_t>(drawn) < trace.count) {
    lines.push_back(concat("Of ", trace.count, " arrows ", drawn, " are drawn."));
  }
  return lines;
}

std::string description(const Plan& plan, const Trace& trace) {
  const Names names = names_of(plan.op());
  const bool scatter = plan.is_scatter();
  std::string text = value_rule(plan) + ". " + shape_rule(plan) + '.';
  for (std::size_t i = 0; i < std::min(trace.arrows.size(), kMostDescribed); ++i) {
    const Arrow& arrow = trace.arrows[i];
    const std::string positions = std::string(scatter ? names.updates : names.output) + slice_text(arrow.position);
    const std::string data = std::string(scatter ? names.output : names.data) + slice_text(arrow.data);
    text += concat(' ', i + 1, ": ");
    if (arrow.left_out) {
      text += positions + (scatter ? " is dropped." : " is filled.");
    } else {
      text += concat(scatter ? positions : data, " to ", scatter ? data : positions, '.');
    }
  }
  if (trace.count > static_cast<std::int64_t>(kMostDescribed)) {
    text += concat(" And ", trace.count - static_cast<std::int64_t>(kMostDescribed), " more.");
  }
  for (const std::string& note : notes(plan, trace, trace.arrows.size())) text += ' ' + note;
  return text;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t most) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t count = 0;  // characters in it
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
