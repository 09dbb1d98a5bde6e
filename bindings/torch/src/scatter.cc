#include <ATen/Parallel.h>

#include "operators.h"

namespace strew::aten {
namespace {

IndexRules index_rules(const ScatterRules& rules) {
  return {OutOfBounds::kError, rules.from_end ? NegativeIndices::kFromEnd : NegativeIndices::kOutOfBounds};
}

AccDType acc_dtype(const Tensor& self, Reduction reduction, const ScatterRules& rules) {
  const bool rounded = reduction == Reduction::kAdd || reduction == Reduction::kMul;
  return rules.wide && rounded && is_half(self) ? AccDType::kFloat32 : AccDType::kData;
}

/// Checks the three tensors, but not their shapes.
Outcome acceptable(const Tensor& self, const Tensor& index, const Source& source, const ScatterRules& rules) {
  if (const Outcome seen = readable(self); seen != Outcome::kTaken) return seen;
  if (source.tensor && (source.tensor->layout() != at::kStrided || !source.tensor->device().is_cpu())) {
    return Outcome::kLayout;
  }
  if (source.tensor && source.tensor->scalar_type() != self.scalar_type()) return Outcome::kDType;
  if (!holds_indices(index, rules.only_long)) return Outcome::kIndexDType;
  return Outcome::kTaken;
}

/// Returns kTaken if rows are contiguous in both source and destination.
Outcome together(const Tensor& self, const Source& source, std::int64_t first) {
  const Outcome seen = rows_together(self, first);
  return seen != Outcome::kTaken || source.one_value ? seen : rows_together(*source.tensor, first);
}

bool dense(const Tensor& self, const Source& source) {
  return self.is_contiguous() && (source.number || source.tensor->is_contiguous());
}

bool fits_rank(const Source& source, const Tensor& self) {
  return source.number || source.tensor->dim() == (source.one_value ? 0 : self.dim());
}

/// Returns the values to write and their `axes`: the source itself, or a row of one repeated value.
Tensor written_at(const at::IntArrayRef sizes, const Source& source, const Tensor& self, std::int64_t row,
                  Axes& axes) {
  axes = repeated(sizes);
  std::int64_t step = 1;
  for (std::int64_t axis = axes.rank() - 1; axis >= 0; --axis) {
    if (!source.one_value) {
      axes.strides[axis] = source.tensor->stride(axis);
    } else if (step < row) {
      axes.strides[axis] = step;
      step *= axes.sizes[axis];
    }
  }
  if (!source.one_value) return *source.tensor;
  const Tensor value = new_tensor({row}, self.scalar_type());
  return source.number ? value.fill_(*source.number) : value.fill_(*source.tensor);
}

/// Runs a scatter that was planned for `data`, the axes of `self` with `moved_axis` moved to the front.
Outcome run_scatter(const Result<Plan>& plan, Output& output, const Tensor& self, const Axes& data,
                    const TensorView& indices, const TensorView& updates, std::int64_t moved_axis = 0) {
  if (!plan) return outcome_of(plan.error());
  const Tensor* out = output.prepare(self.sizes(), self);
  if (out == nullptr) return Outcome::kOutput;
  Axes written(*out);
  written.move_to_front(moved_axis);
  const MutableTensorView to =
      writable(*out, written);  // precedes view(self), since write access may move the memory of the same tensor
  return run_call(*plan, {view(self, data), indices, updates}, to, output.is_new());
}

}  // namespace

Outcome scatter_rows(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index,
                     const Source& source, Reduction reduction, const ScatterRules& rules) {
  const std::optional<std::int64_t> axis = axis_of(dim, self);
  if (!axis || index.dim() > 1 || !fits_rank(source, self)) return Outcome::kShapes;
  const std::int64_t row = multiply_integers(self.sizes().begin() + *axis + 1, self.sizes().end());
  const std::int64_t rows = multiply_integers(self.sizes().begin(), self.sizes().begin() + *axis) * index.numel();
  if (const Outcome seen = worth(rules.bounds, rows * row, row, dense(self, source)); seen != Outcome::kTaken)
    return seen;
  if (const Outcome seen = acceptable(self, index, source, rules); seen != Outcome::kTaken) return seen;

  if (const Outcome seen = together(self, source, *axis + 1); seen != Outcome::kTaken) return seen;

  c10::SmallVector<std::int64_t, 8> sizes(self.sizes().begin(), self.sizes().end());
  sizes[static_cast<std::size_t>(*axis)] = index.numel();
  if (!source.one_value && source.tensor->sizes() != at::IntArrayRef(sizes)) return Outcome::kShapes;
  Axes data(self), updates, tuples;
  const Tensor written = written_at(sizes, source, self, row, updates);
  data.move_to_front(*axis);
  updates.move_to_front(*axis);
  tuples.push_back(index.numel(), index.dim() == 1 ? index.stride(0) : 1);
  tuples.push_back(1, 1);
  const TensorView indices = view(index, tuples), from = view(written, updates);
  const auto plan = make_plan(CallParams{.op = OpKind::kScatterND,
                                         .reduction = reduction,
                                         .rules = index_rules(rules),
                                         .include_self = rules.include_self,
                                         .acc_dtype = acc_dtype(self, reduction, rules)},
                              {from.dtype(), data.sizes}, indices, from);
  return run_scatter(plan, output, self, data, indices, from, *axis);
}

Outcome scatter_elements(Output& output, const Tensor& self, std::int64_t dim, const Tensor& index,
                         const Source& source, Reduction reduction, const ScatterRules& rules) {
  const std::optional<std::int64_t> axis = axis_of(dim, self);
  if (!axis || index.dim() != self.dim() || !fits_rank(source, self)) return Outcome::kShapes;
  const std::int64_t row = row_length(index);
  if (const Outcome seen = worth(rules.bounds, index.numel(), row, dense(self, source)); seen != Outcome::kTaken)
    return seen;
  if (const Outcome seen = acceptable(self, index, source, rules); seen != Outcome::kTaken) return seen;
  for (std::int64_t i = 0; i < index.dim() && !source.one_value; ++i) {
    if (source.tensor->size(i) < index.size(i)) return Outcome::kShapes;
  }

  if (const Outcome seen = together(self, source, row > 1 ? 0 : self.dim()); seen != Outcome::kTaken) return seen;

  const Axes data(self);
  Axes updates;
  const Tensor written = written_at(index.sizes(), source, self, row, updates);
  const TensorView indices = view(index), from = view(written, updates);
  const auto plan = make_plan({.op = OpKind::kScatterElements,
                               .axis = *axis,
                               .reduction = reduction,
                               .rules = index_rules(rules),
                               .include_self = rules.include_self,
                               .acc_dtype = acc_dtype(self, reduction, rules)},
                              {from.dtype(), data.sizes}, indices, from);
  return run_scatter(plan, output, self, data, indices, from);
}

Outcome put_elements(Output&, const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  const ScatterRules rules{.bounds = kPutBounds, .only_long = true, .from_end = true};
  const Reduction reduction = accumulate ? Reduction::kAdd : Reduction::kNone;
  if (const Outcome seen = worth(rules.bounds, index.numel(), 1); seen != Outcome::kTaken) return seen;
  if (!accumulate && index.numel() > kMaxPut && at::get_num_threads() > 1 && settings.least < 0) {
    return Outcome::kSingleElements;
  }
  if (const Outcome seen = acceptable(self, index, source, rules); seen != Outcome::kTaken) return seen;
  if (!self.is_contiguous() || !index.is_contiguous() || !source.is_contiguous()) return Outcome::kLayout;
  Axes data, updates;
  data.push_back(self.numel(), 1);
  updates.push_back(index.numel(), 1);
  if (source.numel() != index.numel()) return Outcome::kShapes;
  const TensorView indices = view(index, updates), from = view(source, updates);
  const auto plan =
      make_plan({.op = OpKind::kScatterElements, .axis = 0, .reduction = reduction, .rules = index_rules(rules)},
                {from.dtype(), data.sizes}, indices, from);
  if (!plan) return outcome_of(plan.error());
  const MutableTensorView to = writable(self, data);
  return run_call(*plan, {to, indices, from}, to, false);
}

}  // namespace strew::aten
