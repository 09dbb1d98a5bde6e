// Mul, Add and Relu of ONNX Runtime's CPU provider, for rows that a fused node could not fuse.
#include "elementwise.h"

#include <algorithm>
#include <utility>

#include "expand.h"
#include "refuse.h"
#include "strew/half.h"

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
T step_of(T value, T other) {
  if constexpr (kStep == RowStep::kRelu) return wide(value) < 0 ? T{} : value;
  if constexpr (kStep == RowStep::kMul) return narrow<T>(wide(value) * wide(other));
  return narrow<T>(wide(value) + wide(other));
}

// The last axis of all, and the others as one.
struct Lines {
  const void* one;
  const void* other;
  void* to;
  Shape shape;
  Shape one_strides;
  Shape other_strides;
  std::int64_t columns = 1;  // of the last axis
  std::int64_t lines = 1;
  std::int64_t tasks = 1;
};

template <RowStep kStep, class T>
void run_task(void* context, std::int64_t task) {
  const Lines& all = *static_cast<const Lines*>(context);
  const std::int64_t last = all.shape.rank() - 1;
  const std::int64_t step = last < 0 ? 0 : all.one_strides[last];
  const std::int64_t other_step = last < 0 ? 0 : all.other_strides[last];
  for (std::int64_t line = all.lines * task / all.tasks; line < all.lines * (task + 1) / all.tasks; ++line) {
    std::int64_t rest = line;
    std::int64_t at = 0;
    std::int64_t other_at = 0;
    for (std::int64_t axis = last - 1; axis >= 0; --axis) {
      const std::int64_t i = rest % all.shape[axis];
      rest /= all.shape[axis];
      at += i * all.one_strides[axis];
      other_at += i * all.other_strides[axis];
    }
    const T* one = static_cast<const T*>(all.one) + at;
    const T* other = static_cast<const T*>(all.other) + other_at;
    T* to = static_cast<T*>(all.to) + line * all.columns;
    const auto along = [&](std::int64_t a, std::int64_t b) {
      for (std::int64_t j = 0; j < all.columns; ++j) to[j] = step_of<kStep>(one[j * a], other[j * b]);
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
  switch (dtype) {
    case DType::kFloat16:
      return run_task<kStep, Float16>;
    case DType::kBFloat16:
      return run_task<kStep, BFloat16>;
    case DType::kFloat32:
      return run_task<kStep, float>;
    default:
      return run_task<kStep, double>;
  }
}

auto task_of(RowStep step, DType dtype) {
  switch (step) {
    case RowStep::kMul:
      return task_of<RowStep::kMul>(dtype);
    case RowStep::kAdd:
      return task_of<RowStep::kAdd>(dtype);
    default:
      return task_of<RowStep::kRelu>(dtype);
  }
}

}  // namespace

strew::Tensor apply_step(RowStep step, strew::Tensor rows, const TensorView* other, Executor& executor) {
  const TensorView one = rows.view();
  const TensorView second = other == nullptr ? one : *other;
  const Shape shape = broadcast(step == RowStep::kMul ? "mul" : "add", one.shape(), second.shape());
  strew::Tensor result;
  if (shape != one.shape()) result = unwrap(strew::Tensor::uninitialized(rows.dtype(), shape));
  Lines lines{.one = one.data(),
              .other = second.data(),
              .to = shape == one.shape() ? rows.mutable_data() : result.mutable_data(),
              .shape = shape,
              .one_strides = broadcast_strides(one.shape(), shape),
              .other_strides = broadcast_strides(second.shape(), shape)};
  const std::int64_t count = element_count(shape);
  if (count > 0) {
    lines.columns = shape.empty() ? 1 : shape[shape.rank() - 1];
    lines.lines = count / lines.columns;
    lines.tasks = std::clamp<std::int64_t>(std::min(count >> 14, lines.lines), 1, executor.thread_count());
    const auto task = task_of(step, rows.dtype());
    if (lines.tasks == 1) {
      task(&lines, 0);
    } else {
      executor.run(task, &lines, lines.tasks);
    }
  }
  return shape == one.shape() ? std::move(rows) : std::move(result);
}

}  // namespace strew::ort
