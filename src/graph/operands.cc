// Checks types and shapes of operands, and converts weights and addends whose shapes the kernels do not support.
#include "graph/operands.h"

#include <algorithm>
#include <array>
#include <new>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/machine.h"
#include "core/strided_copy.h"
#include "core/tuning.h"
#include "core/view_check.h"
#include "kernel/kernel.h"

namespace strew {
namespace {

Tensor copied(const TensorView& view) {
  auto copy = Tensor::copy_of(view);
  if (!copy) throw std::bad_alloc();
  return *std::move(copy);
}

tl::unexpected<Error> does_not_broadcast(std::string_view name, const Shape& shape, std::int64_t edges,
                                         const Shape& row) {
  Shape whole{edges};
  for (const std::int64_t extent : row) whole.push_back(extent);
  return reject(ErrorCode::kInvalidArgument, name, name, " has shape ", shape, ", which does not broadcast to ",
                whole, " when it is padded on the right with 1s");
}

}  // namespace

Shape row_shape(const Shape& shape) {
  Shape row;
  for (std::int64_t axis = 1; axis < shape.rank(); ++axis) row.push_back(shape[axis]);
  return row;
}

Status check_data(const TensorView& data, std::int64_t source_size) {
  STREW_TRY(check_view("", "data", data));
  switch (data.dtype()) {
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      break;
    default:
      return reject(ErrorCode::kInvalidType, "data", "data is ", dtype_name(data.dtype()),
                    "; it must be float16, bfloat16, float32 or float64");
  }
  if (data.rank() < 1 || data.shape()[0] != source_size) {
    return reject(ErrorCode::kInvalidArgument, "data", "data has shape ", data.shape(),
                  "; its first axis must have length ", source_size, ", the number of sources");
  }
  return {};
}

Status check_params(const GatherScatterParams& params, DType dtype, bool winners) {
  const Reduction reduction = params.reduction;
  const bool extremum = is_extremum(reduction);
  if (!extremum && reduction != Reduction::kAdd && reduction != Reduction::kMean && reduction != Reduction::kMul) {
    return reject(ErrorCode::kUnsupported, "reduction", "reduction is ", reduction_name(reduction),
                  "; it must be add, mean, max, min or mul");
  }
  if (winners && !extremum) {
    return reject(ErrorCode::kInvalidArgument, "winners", "winners requires reduction max or min, not ",
                  reduction_name(reduction));
  }
  const bool narrow = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  if (params.acc_dtype == AccDType::kFloat32 && !narrow && dtype != DType::kFloat32) {
    return reject(ErrorCode::kInvalidType, "acc_dtype", "acc_dtype is float32, but data is ", dtype_name(dtype));
  }
  return {};
}

Status check_result(std::string_view name, const TensorView& view, DType dtype, const Shape& shape) {
  STREW_TRY(check_view("", name, view));
  if (view.dtype() != dtype) {
    return reject(ErrorCode::kInvalidType, name, name, " is ", dtype_name(view.dtype()), "; it must be ",
                  dtype_name(dtype));
  }
  if (view.shape() != shape) {
    return reject(ErrorCode::kInvalidArgument, name, name, " has shape ", view.shape(), "; it must be ", shape);
  }
  return {};
}

Status check_degrees(std::string_view name, const SortedEdges& edges) {
  if (edges.count <= kMostNarrow) return {};
  for (std::int64_t t = 0; t < edges.keys; ++t) {
    const std::int64_t degree = edges.start[t + 1] - edges.start[t];
    if (degree > kMostNarrow) {
      return reject(ErrorCode::kUnsupported, name, "target ", t, " has ", degree, " edges; with ", name,
                    ", at most ", kMostNarrow, " are supported");
    }
  }
  return {};
}

Status check_overlap(std::string_view written, const TensorView& output, std::string_view name,
                     const std::optional<TensorView>& operand) {
  if (!operand || !byte_range(output).overlaps(byte_range(*operand))) return {};
  return reject(ErrorCode::kInvalidArgument, written, written, " overlaps ", name);
}

Contiguous::Contiguous(const TensorView& view) : data_(view.data()) {
  if (!is_contiguous(view)) data_ = copy_.emplace(copied(view)).data();
}
const void* Contiguous::data() const noexcept { return data_; }

ContiguousOutput::ContiguousOutput(const MutableTensorView& view) : view_(view), data_(view.data()) {
  if (is_contiguous(view)) return;
  auto copy = Tensor::uninitialized(view.dtype(), view.shape());
  if (!copy) throw std::bad_alloc();
  data_ = made_.emplace(*std::move(copy)).mutable_data();
}
void* ContiguousOutput::data() noexcept { return data_; }
void ContiguousOutput::finish() {
  if (!made_) return;
  const StridedCopy copy(made_->view(), view_.data(), view_);
  copy.run(0, copy.part_count());
}

Result<TermForm> TermForm::of(std::string_view name, const TensorView& values, DType dtype, std::int64_t edges,
                              const Shape& row) {
  STREW_TRY(check_view("", name, values));
  if (values.dtype() != dtype) {
    return reject(ErrorCode::kInvalidType, name, name, " is ", dtype_name(values.dtype()),
                  "; it must be of the type of data, ", dtype_name(dtype));
  }
  const Shape& shape = values.shape();
  const std::int64_t rank = row.rank();
  if (shape.rank() < 1 || shape.rank() > rank + 1 || (shape[0] != edges && shape[0] != 1)) {
    return does_not_broadcast(name, shape, edges, row);
  }
  // Merges axes into runs, outermost first: values vary along all axes of a run, or along none. Shapes with more
  // than two runs are expanded.
  std::array<std::int64_t, 2> run = {1, 1};
  std::array<bool, 2> kept = {false, false};
  std::size_t runs = 0;
  TermForm form{.values = 1, .per_edge = shape[0] == edges};
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const std::int64_t extent = axis + 1 < shape.rank() ? shape[axis + 1] : 1;
    if (extent != row[axis] && extent != 1) return does_not_broadcast(name, shape, edges, row);
    form.values *= extent;
    if (row[axis] == 1) continue;
    const bool keeps = extent != 1;
    if (runs == 0 || (runs <= 2 && kept[runs - 1] != keeps)) {
      if (runs < 2) kept[runs] = keeps;
      ++runs;
    }
    if (runs <= 2) run[runs - 1] *= row[axis];
  }
  if (runs > 2) {
    form.expand(row);
  } else if (runs == 2) {
    form.heads = run[0];
    form.per_head = kept[0];
    form.per_column = kept[1];
  } else {
    form.per_column = runs == 1 && kept[0];
  }
  return form;
}

void TermForm::expand(const Shape& row) {
  heads = 1;
  values = element_count(row);
  per_head = false;
  per_column = true;
  is_copied = true;
}

Shape TermForm::gradient_shape(std::int64_t edges, const Shape& row) const {
  Shape shape{edges};
  if (!per_edge || per_column) {
    for (const std::int64_t extent : row) shape.push_back(extent);
  } else if (heads != 1) {
    shape.push_back(heads);
  }
  return shape;
}

Result<TermForms> TermForms::of(const GatherScatterOperands& operands, DType dtype, std::int64_t edges,
                                const Shape& row) {
  TermForms forms;
  for (auto [name, view, to] :
       {std::tuple("weight", &operands.weight, &forms.weight), {"addend", &operands.addend, &forms.addend}}) {
    if (!*view) continue;
    STREW_ASSIGN(auto&& form, TermForm::of(name, **view, dtype, edges, row));
    to->emplace(form);
  }
  TermLayout& layout = forms.layout;
  if (forms.weight) layout.heads = forms.weight->heads;
  if (forms.addend && forms.addend->heads != 1 && forms.addend->heads != layout.heads) {
    if (layout.heads == 1) {
      layout.heads = forms.addend->heads;
    } else {
      forms.addend->expand(row);
    }
  }
  layout.columns = layout.heads > 0 ? element_count(row) / layout.heads : 0;
  return forms;
}

EdgeValues::EdgeValues(const TensorView& values, const TermForm& form, const Shape& row)
    : form_(form), values_(values.data(), values.dtype(), values.shape()) {
  if (!is_contiguous(values)) values_ = copy_.emplace(copied(values)).view();
  if (!form.is_copied) return;
  Shape whole{values_.shape()[0]};
  Shape strides{0};
  std::int64_t step = 1;
  for (const std::int64_t extent : row) {
    whole.push_back(extent);
    strides.push_back(0);
  }
  for (std::int64_t axis = row.rank(); axis >= 0; --axis) {
    const std::int64_t extent = axis < values_.shape().rank() ? values_.shape()[axis] : 1;
    if (extent != 1) strides[axis] = step;
    step *= extent;
  }
  Tensor copy = copied(TensorView(values_.data(), values_.dtype(), whole, strides));
  copy_ = std::move(copy);
  values_ = copy_->view();
}

EdgeTerm EdgeValues::term(const TermLayout& layout, const SortedEdges& edges, bool sorted, Executor& executor) {
  const std::int64_t step = form_.step();
  EdgeTerm term{.values = values_.data(), .edge = step, .per_column = form_.per_column};
  if (form_.per_head) term.head = form_.per_column ? layout.columns : 1;
  if (form_.heads == 1 && form_.per_column) term.head = layout.columns;
  if (sorted || edges.in_order || step == 0) return term;
  const std::int64_t bytes = step * (bit_width(values_.dtype()) / 8);
  const bool has_one_element = layout.heads * layout.columns == 1;
  if (bytes > kSortedValueBytes || (!has_one_element && bytes * values_.shape()[0] <= machine().l2_bytes)) {
    term.order = edges.edge.list();
    return term;
  }
  auto ordered = Tensor::uninitialized(values_.dtype(), {edges.count, step});
  if (!ordered) throw std::bad_alloc();
  take_rows(values_.data(), edges.edge.list(), edges.count, step, values_.dtype(), ordered->mutable_data(),
            executor);
  term.values = ordered_.emplace(*std::move(ordered)).data();
  return term;
}

Result<EdgeTerms> EdgeTerms::make(const GatherScatterOperands& operands, DType dtype, std::int64_t edges,
                                  const Shape& row) {
  STREW_ASSIGN(const auto& forms, TermForms::of(operands, dtype, edges, row));
  EdgeTerms terms;
  if (forms.weight) terms.weight_.emplace(*operands.weight, *forms.weight, row);
  if (forms.addend) terms.addend_.emplace(*operands.addend, *forms.addend, row);
  terms.layout_ = forms.layout;
  return terms;
}

void EdgeTerms::put_into(EdgeFold& call, const SortedEdges& edges, bool sorted, Executor& executor) {
  if (weight_) call.weight = weight_->term(layout_, edges, sorted, executor);
  if (addend_) call.addend = addend_->term(layout_, edges, sorted, executor);
  call.heads = layout_.heads;
  call.columns = layout_.columns;
}

void take_rows(const void* from, IndexList edge, std::int64_t count, std::int64_t row, DType dtype, void* to,
               Executor& executor) {
  constexpr std::int64_t kChunk = 512;
  const Kernel copy = copy_kernel(dtype);
  const std::int64_t bytes = row * (bit_width(dtype) / 8);
  const std::int64_t parts = std::clamp<std::int64_t>(count * bytes >> 16, 1, usual_task_count(executor));
  parallel_for(executor, parts, [&](std::int64_t part) {
    std::array<std::int64_t, kChunk> offsets;
    const Range range = part_of(count, parts, part);
    for (std::int64_t begin = range.begin; begin < range.end; begin += kChunk) {
      const std::int64_t n = std::min(kChunk, range.end - begin);
      for (std::int64_t i = 0; i < n; ++i) offsets[static_cast<std::size_t>(i)] = edge[begin + i] * row;
      copy(static_cast<std::byte*>(to) + begin * bytes, from, nullptr, offsets.data(), n, row);
    }
  });
}

}  // namespace strew
