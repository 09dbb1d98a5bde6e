#include <algorithm>

#include "api.h"
#include "compiled_node.h"
#include "strew/half.h"
#include "tensors.h"

namespace strew::ort {
namespace {

template <class T>
T wide(T value) {
  return value;
}
float wide(Float16 value) { return to_float(value); }
float wide(BFloat16 value) { return to_float(value); }

template <class T, class Wide>
T narrow(Wide value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return to_float16(value);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return to_bfloat16(value);
  } else {
    return value;
  }
}

template <RowStep kStep, class T>
T step_element(T value, T other) {
  if constexpr (kStep == RowStep::kRelu) return wide(value) < 0 ? T{} : value;
  if constexpr (kStep == RowStep::kMul) return narrow<T>(wide(value) * wide(other));
  return narrow<T>(wide(value) + wide(other));
}

// Operands and output as lines along the last axis.
struct Lines {
  const void* one;
  const void* other;
  void* to;
  Shape shape;
  Shape one_strides;
  Shape other_strides;
  std::int64_t columns = 1;  // length of the last axis
  std::int64_t lines = 1;
  std::int64_t tasks = 1;
};

// The coordinate of a line on each axis but the last, and its offset in each operand.
class Place {
 public:
  Place(const Lines& lines, std::int64_t line) : lines_(lines), at_(lines.shape) {
    for (std::int64_t axis = last() - 1; axis >= 0; --axis) {
      at_[axis] = line % lines.shape[axis];
      line /= lines.shape[axis];
      move(axis, at_[axis]);
    }
  }

  std::int64_t one() const { return one_; }
  std::int64_t other() const { return other_; }

  void next() {
    for (std::int64_t axis = last() - 1; axis >= 0; --axis) {
      move(axis, 1);
      if (++at_[axis] < lines_.shape[axis]) return;
      move(axis, -at_[axis]);
      at_[axis] = 0;
    }
  }

 private:
  std::int64_t last() const { return lines_.shape.rank() - 1; }
  void move(std::int64_t axis, std::int64_t steps) {
    one_ += steps * lines_.one_strides[axis];
    other_ += steps * lines_.other_strides[axis];
  }

  const Lines& lines_;
  Shape at_;
  std::int64_t one_ = 0;
  std::int64_t other_ = 0;
};

template <RowStep kStep, class T>
void run_task(void* context, std::int64_t task) {
  const Lines& all = *static_cast<const Lines*>(context);
  const std::int64_t last = all.shape.rank() - 1;
  const std::int64_t step = last < 0 ? 0 : all.one_strides[last];
  const std::int64_t other_step = last < 0 ? 0 : all.other_strides[last];
  const std::int64_t begin = all.lines * task / all.tasks;
  const std::int64_t end = all.lines * (task + 1) / all.tasks;
  Place place(all, begin);
  for (std::int64_t line = begin; line < end; ++line, place.next()) {
    const T* one = static_cast<const T*>(all.one) + place.one();
    const T* other = static_cast<const T*>(all.other) + place.other();
    T* to = static_cast<T*>(all.to) + line * all.columns;
    const auto along = [&](std::int64_t a, std::int64_t b) {
      for (std::int64_t j = 0; j < all.columns; ++j) to[j] = step_element<kStep>(one[j * a], other[j * b]);
    };
    if (step == 1 && other_step == 1) {
      along(1, 1);
    } else if (step == 1 && other_step == 0) {
      along(1, 0);
    } else {
      along(step, other_step);
    }
  }
}

template <RowStep kStep>
auto task_of(DType dtype) -> void (*)(void*, std::int64_t) {
  if (dtype == DType::kFloat16) return run_task<kStep, Float16>;
  if (dtype == DType::kBFloat16) return run_task<kStep, BFloat16>;
  return dtype == DType::kFloat32 ? run_task<kStep, float> : run_task<kStep, double>;
}

auto task_of(RowStep step, DType dtype) {
  if (step == RowStep::kMul) return task_of<RowStep::kMul>(dtype);
  return step == RowStep::kAdd ? task_of<RowStep::kAdd>(dtype) : task_of<RowStep::kRelu>(dtype);
}

void combine(RowStep step, const TensorView& one, const TensorView& other, const Shape& shape, void* to,
             Executor& executor) {
  const std::int64_t count = element_count(shape);
  if (count == 0) return;
  Lines lines{.one = one.data(),
              .other = other.data(),
              .to = to,
              .shape = shape,
              .one_strides = broadcast_strides(one.shape(), shape),
              .other_strides = broadcast_strides(other.shape(), shape)};
  lines.columns = shape.empty() ? 1 : shape[shape.rank() - 1];
  lines.lines = count / lines.columns;
  lines.tasks = std::clamp<std::int64_t>(std::min(count >> 14, lines.lines), 1, executor.thread_count());
  const auto task = task_of(step, one.dtype());
  if (lines.tasks == 1) return task(&lines, 0);
  executor.run(task, &lines, lines.tasks);
}

}  // namespace

strew::Tensor apply_step(RowStep step, strew::Tensor rows, const TensorView* other, Executor& executor) {
  const TensorView one = rows.view();
  const TensorView second = other == nullptr ? one : *other;
  const Shape shape = broadcast(step == RowStep::kMul ? "mul" : "add", one.shape(), second.shape());
  if (shape == one.shape()) {
    combine(step, one, second, shape, rows.mutable_data(), executor);
    return rows;
  }
  strew::Tensor result = unwrap(strew::Tensor::uninitialized(rows.dtype(), shape));
  combine(step, one, second, shape, result.mutable_data(), executor);
  return result;
}

void add_to(const MutableTensorView& to, const TensorView& other, Executor& executor) {
  combine(RowStep::kAdd, to, other, to.shape(), to.data(), executor);
}

strew::Tensor product(const TensorView& one, const TensorView& other, Executor& executor) {
  const Shape shape = broadcast("mul", one.shape(), other.shape());
  strew::Tensor result = unwrap(strew::Tensor::uninitialized(one.dtype(), shape));
  combine(RowStep::kMul, one, other, shape, result.mutable_data(), executor);
  return result;
}

}  // namespace strew::ort
