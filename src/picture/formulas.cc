// Writes the formulas of operators, with the numbers of a call.
#include "core/error.h"
#include "picture/words.h"

namespace strew::picture {
namespace {

Shape part(const Shape& shape, std::int64_t begin, std::int64_t end) {
  Shape dims;
  for (std::int64_t axis = begin; axis < end; ++axis) dims.push_back(shape[axis]);
  return dims;
}

// Returns a letter for each of `count` axes: "i, j".
std::string letters(std::int64_t count, char first = 'i') {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    text += static_cast<char>(i < 8 ? first + i : '?');
  }
  return text;
}

// Appends subscripts in brackets, if there are any.
std::string subscripted(std::string_view name, const std::vector<std::string>& subscripts) {
  return std::string(name) + (subscripts.empty() ? "" : '[' + join(subscripts, ", ") + ']');
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

// Returns "+=" and the like for reductions with an assignment operator; "" for the others.
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

// Returns the rule of a scatter. `subscripts` and `update`: the subscripts of the destination and of the update.
std::string assigned(const Plan& plan, const std::string& subscripts, const std::string& update) {
  const std::string to = "output" + subscripts;
  const std::string_view times = plan.has_alpha() ? "alpha * " : "";
  if (plan.reduction() == Reduction::kMean) {
    const std::string self = plan.include_self() ? concat("data", subscripts, ", ") : std::string();
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
  const std::int64_t batches = plan.params().batch_dims;
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
  const std::string subscripts = circular ? '(' + start + ") % " + concat(plan.data().shape[axis]) : start;
  std::vector<std::string> to(static_cast<std::size_t>(plan.data().shape.rank()), ":");
  to[0] = "b";
  std::vector<std::string> from = to;
  to[static_cast<std::size_t>(axis)] = subscripts;
  from[static_cast<std::size_t>(axis)] = "s";
  return subscripted("present_cache", to) + " = " + subscripted("update", from);
}

}  // namespace

std::string shape_rule(const Plan& plan) {
  const Shape& data = plan.data().shape;
  const Shape& indices = plan.indices().shape;
  const std::int64_t rank = data.rank();
  if (plan.op() == OpKind::kTensorScatter) {
    return concat("update.shape = past_cache.shape except along axis ", plan.indexed_axes().front(), " = ",
                  plan.position_shape());
  }
  const std::string_view what = plan.is_scatter() ? "updates" : "output";
  if (plan.by_elements()) return concat(what, ".shape = indices.shape = ", indices);
  if (plan.tuples()) {
    const std::int64_t behind = plan.params().batch_dims + plan.indexed_axes().rank();
    return concat(what, ".shape = indices.shape[:-1] + data.shape[", plan.params().batch_dims > 0 ? "b+k" : "k",
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
  const std::string batches =
      plan.params().batch_dims > 0 ? concat(", b = batch_dims = ", plan.params().batch_dims) : "";
  return concat("k = indices.shape[-1] = ", plan.indexed_axes().rank(), batches);
}

std::string value_rule(const Plan& plan) {
  if (plan.op() == OpKind::kTensorScatter) return tensor_scatter_rule(plan);
  if (plan.tuples()) return tuples_rule(plan);
  return plan.by_elements() ? elements_rule(plan) : gather_rule(plan);
}

}  // namespace strew::picture
