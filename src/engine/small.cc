// Small calls. Every index value is read once, checked and made an offset on the stack; then a kernel runs.
#include "engine/small.h"

#include <array>
#include <cstring>

#include "engine/thresholds.h"
#include "index/index_value.h"
#include "kernel/kernel.h"

namespace strew {
namespace {

// A dense operand exactly as the plan has it.
bool as_planned(const TensorView& view, DType dtype, const Shape& shape, std::int64_t count) {
  return view.dense() && view.dtype() == dtype && view.shape() == shape &&
         (view.span_size() < 0 || view.span_size() == count) && view.data() != nullptr;
}

bool apart(const void* output, std::int64_t output_bytes, const TensorView& operand, std::int64_t operand_bytes) {
  const auto a = reinterpret_cast<std::uintptr_t>(output);
  const auto b = reinterpret_cast<std::uintptr_t>(operand.data());
  return a + static_cast<std::uintptr_t>(output_bytes) <= b || b + static_cast<std::uintptr_t>(operand_bytes) <= a;
}

// Offsets of the rows that tuples choose. False where an index is out of range.
template <class Index>
bool resolve(const Plan& plan, const void* indices, std::int64_t row,
             std::array<std::int64_t, kSmallRows>& offsets) {
  const auto* value = static_cast<const std::byte*>(indices);
  const std::int64_t components = plan.indexed_axes().rank();
  const std::int64_t first = plan.data().shape[0];
  bool ok = true;
  for (std::int64_t i = 0; i < plan.row_count(); ++i) {
    const auto leading = load_index<Index>(value);
    ok &= in_range(leading, first);
    std::int64_t place = from_front(leading, first);
    value += sizeof(Index);
    for (std::int64_t c = 1; c < components; ++c, value += sizeof(Index)) {
      const std::int64_t extent = plan.data().shape[c];
      const auto next = load_index<Index>(value);
      ok &= in_range(next, extent);
      if (!ok) return false;  // so that no product below overflows
      place = place * extent + from_front(next, extent);
    }
    if (!ok) return false;
    offsets[static_cast<std::size_t>(i)] = place * row;
  }
  return ok;
}

bool operands_fit(const Call& call, std::int64_t width, std::int64_t output_bytes) {
  const auto& [plan, operands, output, options] = call;
  const bool scatter = plan.is_scatter();
  if (!operands.indices || operands.updates.has_value() != scatter) return false;
  if (!as_planned(operands.data, plan.dtype(), plan.data().shape, plan.data_count())) return false;
  if (!as_planned(*operands.indices, plan.indices().dtype, plan.indices().shape, plan.index_count())) return false;
  const Shape& positions = plan.position_shape();
  const TensorView& position = scatter ? *operands.updates : output;
  if (!as_planned(position, plan.dtype(), positions, plan.position_count())) return false;
  if (scatter && !as_planned(output, plan.dtype(), plan.data().shape, plan.data_count())) return false;
  const void* to = output.data();
  const bool in_place = scatter && to == operands.data.data();
  return (in_place || apart(to, output_bytes, operands.data, plan.data_count() * width)) &&
         apart(to, output_bytes, *operands.indices, plan.index_count() * bit_width(plan.indices().dtype) / 8) &&
         (!scatter || apart(to, output_bytes, *operands.updates, plan.position_count() * width));
}

}  // namespace

bool is_small(const Call& call) {
  const auto& [plan, operands, output, options] = call;
  const std::int64_t count = plan.row_count();
  if (count < 1 || count > kSmallRows || plan.dtype() == DType::kString) return false;
  if (options.force_strategy || options.reject_duplicates) return false;
  const int bits = bit_width(plan.dtype());
  const std::int64_t width = bits / 8;
  const std::int64_t output_count = plan.is_scatter() ? plan.data_count() : plan.position_count();
  if (bits < 8 || output_count < 1 || output_count > kSmallBytes / width || plan.position_count() > kSmallBytes)
    return false;
  return operands_fit(call, width, output_count * width);
}

bool run_small(const Call& call) {
  if (!is_small(call)) return false;
  const auto& plan = call.plan;
  const auto& operands = call.operands;
  const auto& output = call.output;
  const bool scatter = plan.is_scatter();
  const std::int64_t count = plan.row_count();
  const std::int64_t row = plan.position_count() / count;
  std::array<std::int64_t, kSmallRows> chosen;
  const bool ok = visit_index_type(plan.indices().dtype, [&](auto tag) {
    return resolve<decltype(tag)>(plan, operands.indices->data(), row, chosen);
  });
  if (!ok) return false;

  if (!scatter) {
    copy_kernel(plan.dtype())(output.data(), operands.data.data(), nullptr, chosen.data(), count, row);
    return true;
  }
  if (output.data() != operands.data.data()) {
    const std::int64_t bytes = plan.data_count() * bit_width(plan.dtype()) / 8;
    std::memcpy(output.data(), operands.data.data(), static_cast<std::size_t>(bytes));
  }
  const Kernel kernel = plan.reduction() == Reduction::kNone ? copy_kernel(plan.dtype())
                                                             : combine_kernel(plan.dtype(), plan.reduction());
  kernel(output.data(), operands.updates->data(), chosen.data(), nullptr, count, row);
  return true;
}

}  // namespace strew
