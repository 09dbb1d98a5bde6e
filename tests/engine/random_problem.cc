#include "engine/random_problem.h"

#include <algorithm>
#include <array>
#include <vector>

#include "reference/combine.h"
#include "reference/element.h"
#include "reference/fold.h"
#include "reference/rules.h"
#include "support/random_tensor.h"

namespace strew::support {
namespace {

using reference::join;
using reference::slice;

constexpr std::array kIndexTypes = {DType::kInt64, DType::kInt32,  DType::kInt8,   DType::kInt16,
                                    DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64};

/// The attributes and shapes of a call, chosen before any values.
struct Outline {
  Call call;
  Shape data;
  Shape indices;
  Shape updates;
  std::vector<std::int64_t> sizes;  // of the indexed axes, one for each component of an index tuple
  bool has_indices = true;
};

void empty_where_no_index_is_legal(Outline& outline, std::int64_t axis_to_empty) {
  const OutOfBounds rule = outline.call.rules.out_of_bounds;
  if (rule == OutOfBounds::kFill || rule == OutOfBounds::kDrop) return;
  const bool legal = std::find(outline.sizes.begin(), outline.sizes.end(), 0) == outline.sizes.end();
  if (!legal) outline.indices[axis_to_empty] = 0;
}

Outline outline_gather(Random& random, IndexRules rules, std::int64_t most) {
  Outline o;
  o.call.rules = rules;
  const std::int64_t rank = random.between(1, 5);
  o.data = random_shape(random, rank, most);
  const std::int64_t axis = random.below(rank);
  o.call.axis = random.one_in(2) ? axis : axis - rank;
  o.sizes = {o.data[axis]};
  const std::int64_t row =
      std::max<std::int64_t>(element_count(o.data) / std::max<std::int64_t>(o.data[axis], 1), 1);
  o.indices =
      random_shape(random, random.between(o.data[axis] == 0 ? 1 : 0, 3), std::max<std::int64_t>(most / row, 1));
  empty_where_no_index_is_legal(o, 0);
  return o;
}

Outline outline_elements(Random& random, IndexRules rules, std::int64_t most) {
  Outline o;
  o.call.rules = rules;
  const std::int64_t rank = random.between(1, 6);
  o.data = random_shape(random, rank, most);
  const std::int64_t axis = random.below(rank);
  o.call.axis = random.one_in(2) ? axis : axis - rank;
  o.sizes = {o.data[axis]};
  o.indices = o.data;
  std::int64_t room = most;
  for (std::int64_t d = 0; d < rank; ++d) {
    if (d == axis) continue;
    if (random.one_in(3) && o.data[d] > 0) o.indices[d] = random.between(1, o.data[d]);
    room /= std::max<std::int64_t>(o.indices[d], 1);
  }
  if (random.one_in(2)) o.indices[axis] = random_dim(random, std::max<std::int64_t>(room, 1));
  empty_where_no_index_is_legal(o, axis);
  o.updates = o.indices;
  return o;
}

Outline outline_tuples(Random& random, IndexRules rules, std::int64_t most, bool scatter) {
  Outline o;
  o.call.rules = rules;
  const std::int64_t rank = random.between(1, 6);
  o.data = random_shape(random, rank, most);
  const std::int64_t batch = scatter ? 0 : random.pick({std::int64_t{0}, random.below(rank), random.below(rank)});
  const std::int64_t components = random.between(scatter ? 0 : 1, rank - batch);
  o.call.batch_dims = batch;
  const Shape batch_shape = slice(o.data, 0, batch);
  const Shape row = slice(o.data, batch + components, rank);
  for (std::int64_t c = 0; c < components; ++c) o.sizes.push_back(o.data[batch + c]);
  const std::int64_t batches = std::max<std::int64_t>(element_count(batch_shape), 1);
  const std::int64_t per_tuple = batches * std::max<std::int64_t>(element_count(row), 1);
  const bool no_index = std::find(o.sizes.begin(), o.sizes.end(), 0) != o.sizes.end();
  const Shape tuples =
      random_shape(random, random.between(no_index ? 1 : 0, 3), std::max<std::int64_t>(most / per_tuple, 1));
  o.indices = join(join(batch_shape, tuples), {components});
  empty_where_no_index_is_legal(o, batch);
  o.updates = join(slice(o.indices, 0, o.indices.rank() - 1), row);
  return o;
}

Outline outline_tensor_scatter(Random& random, std::int64_t most) {
  Outline o;
  const std::int64_t rank = random.between(2, 5);
  o.data = random_shape(random, rank, most);
  const std::int64_t axis = random.between(1, rank - 1);
  o.call.axis = random.one_in(2) ? axis : axis - rank;
  o.call.mode = random.one_in(2) ? WriteMode::kLinear : WriteMode::kCircular;
  o.updates = o.data;
  o.updates[axis] = random.one_in(3) ? o.data[axis] : random.between(0, o.data[axis]);
  o.indices = {o.data[0]};
  o.has_indices = !random.one_in(4);
  const std::int64_t starts = o.data[axis] - o.updates[axis] + 1;
  o.sizes = {o.call.mode == WriteMode::kLinear ? starts : random.one_in(4) ? INT64_MAX : 3 * o.data[axis] + 1};
  return o;
}

// Returns ONNX's index rules in three of four calls, otherwise random rules.
IndexRules random_rules(Random& random, OpKind op) {
  if (op == OpKind::kTensorScatter || !random.one_in(4)) return {};
  return {random.pick({OutOfBounds::kError, OutOfBounds::kClip, OutOfBounds::kWrap,
                       is_scatter(op) ? OutOfBounds::kDrop : OutOfBounds::kFill}),
          random.pick({NegativeIndices::kFromEnd, NegativeIndices::kOutOfBounds})};
}

Outline make_outline(Random& random, OpKind op, std::int64_t most) {
  const IndexRules rules = random_rules(random, op);
  if (op == OpKind::kGather) return outline_gather(random, rules, most);
  if (op == OpKind::kGatherND || op == OpKind::kScatterND)
    return outline_tuples(random, rules, most, is_scatter(op));
  if (op == OpKind::kTensorScatter) return outline_tensor_scatter(random, most);
  return outline_elements(random, rules, most);
}

// Chooses a reduction: one of ONNX in two of three calls, otherwise with random extensions.
void choose_folding(Random& random, Call& call) {
  const bool extends = random.one_in(3);
  call.reduction = static_cast<Reduction>(random.below(extends ? 11 : 5));
  if (!extends) return;
  call.include_self = random.one_in(2);
  if (random.one_in(4) && call.reduction != Reduction::kNone) call.acc_dtype = AccDType::kFloat32;
}

// Returns a random type for which the call is defined.
DType random_dtype(Random& random, Call& call) {
  while (true) {
    const auto dtype = static_cast<DType>(random.between(kDTypeMin, kDTypeMax));
    if (reference::folding_defined(dtype, {call.reduction, call.include_self, call.acc_dtype})) return dtype;
    // The reduction is defined for no type with this accumulator.
    if (call.acc_dtype == AccDType::kFloat32 && !reference::reduction_defined(DType::kFloat32, call.reduction)) {
      call.acc_dtype = AccDType::kData;
    }
  }
}

Tensor random_indices(Random& random, const Outline& outline, DType dtype) {
  const std::int64_t count = element_count(outline.indices);
  const auto components = static_cast<std::int64_t>(outline.sizes.size());
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  const auto [out_of_bounds, negative] = outline.call.rules;
  const bool may_be_outside = out_of_bounds != OutOfBounds::kError && !random.one_in(3);
  const bool counts_from_zero =
      outline.call.op == OpKind::kTensorScatter || (negative == NegativeIndices::kOutOfBounds && !may_be_outside);
  for (std::int64_t c = 0; c < components && count > 0; ++c) {
    const auto pattern = static_cast<IndexPattern>(random.below(kIndexPatternCount));
    std::int64_t size = outline.sizes[static_cast<std::size_t>(c)];
    if (may_be_outside) size += random.between(0, 3 * size + 2);
    size = std::max<std::int64_t>(size, 1);
    const auto column = index_values(random, pattern, count / components, size, dtype);
    for (std::size_t i = 0; i < column.size(); ++i) {
      const bool flip = counts_from_zero && column[i] < 0;
      values[i * static_cast<std::size_t>(components) + static_cast<std::size_t>(c)] =
          flip ? -1 - column[i] : column[i];
    }
  }
  return index_tensor(dtype, values, outline.indices);
}

StridedTensor place(Random& random, const Tensor& tensor, bool repeats) {
  const bool plain = random.one_in(2);
  return StridedTensor(tensor, plain ? dense_layout(tensor.shape())
                                     : random_layout(random, tensor.dtype(), tensor.shape(), repeats));
}

void break_one_index(Random& random, const Outline& outline, DType dtype, StridedTensor& indices) {
  if (element_count(outline.indices) == 0) return;
  Shape at = outline.indices;
  for (std::int64_t axis = 0; axis < at.rank(); ++axis) at[axis] = random.below(at[axis]);
  const auto component = outline.sizes.size() > 1 ? at[at.rank() - 1] : 0;
  const std::int64_t size = outline.sizes[static_cast<std::size_t>(component)];
  const std::int64_t below = outline.call.op == OpKind::kTensorScatter ? -1 : -size - (size == INT64_MAX ? 0 : 1);
  const std::int64_t value = random.pick({size, below, highest_of(dtype), lowest_of(dtype), std::int64_t{-1}});
  if (value < lowest_of(dtype) || value > highest_of(dtype)) return;
  const Tensor bad = index_tensor(dtype, {value}, {});
  reference::write(indices.mutable_view(), at, reference::read(bad, {}));
}

}  // namespace

CallOperands Problem::operands() const {
  CallOperands operands(data.view());
  if (indices) operands.indices.emplace(indices->view());
  if (updates) operands.updates.emplace(updates->view());
  if (fill_value) operands.fill_value.emplace(fill_value->view());
  if (alpha) operands.alpha.emplace(alpha->view());
  return operands;
}

Problem random_problem(Random& random, OpKind op, std::int64_t most_elements) {
  Outline outline = make_outline(random, op, most_elements);
  outline.call.op = op;
  const bool reduces = op == OpKind::kScatterElements || op == OpKind::kScatterND;
  if (reduces) choose_folding(random, outline.call);
  const DType dtype = random_dtype(random, outline.call);
  const DType index_type = random.pick(std::span<const DType>(kIndexTypes));
  const bool repeats = !is_scatter(op) || random.one_in(3);

  const Tensor data = random_tensor(random, dtype, outline.data);
  const bool single = is_scatter(op) && repeats && !is_packed(dtype) && random.one_in(4);
  Problem problem{.call = outline.call,
                  .data = single ? StridedTensor(data, single_value_layout(random, dtype, outline.data))
                                 : place(random, data, repeats),
                  .data_distinct = !repeats};
  if (outline.has_indices) {
    problem.indices = place(random, random_indices(random, outline, index_type), true);
    if (random.one_in(12)) break_one_index(random, outline, index_type, *problem.indices);
  }
  if (problem.call.rules.out_of_bounds == OutOfBounds::kFill && random.one_in(2)) {
    problem.fill_value = StridedTensor(random_tensor(random, dtype, {}), dense_layout({}));
  }
  const bool multiplies =
      reference::reduction_defined(dtype, Reduction::kMul) || outline.call.acc_dtype == AccDType::kFloat32;
  if (outline.call.reduction != Reduction::kNone && multiplies && random.one_in(8)) {
    problem.alpha = StridedTensor(random_tensor(random, dtype, {}), dense_layout({}));
  }
  if (is_scatter(op)) {
    const Tensor updates = random_tensor(random, dtype, outline.updates);
    const bool counts = !is_packed(dtype) && random.one_in(8);
    problem.updates = counts ? StridedTensor(updates, single_value_layout(random, dtype, outline.updates))
                             : place(random, updates, true);
  }
  return problem;
}

std::string describe(const Problem& problem) {
  const auto text = [](const char* name, const TensorView& view) {
    return std::string(", ") + name + ' ' + std::string(dtype_name(view.dtype())) + ' ' +
           strew::to_string(view.shape()) + (view.dense() ? "" : " strides " + strew::to_string(view.strides()));
  };
  std::string all = to_string(problem.call) + text("data", problem.data.view());
  if (problem.indices) all += text("indices", problem.indices->view());
  if (problem.alpha) all += " alpha";
  if (problem.updates) all += text("updates", problem.updates->view());
  return all;
}

}  // namespace strew::support
