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

// Bytes of memory.
struct Bytes {
  const void* begin;
  std::int64_t count;
};

bool apart(Bytes a, Bytes b) {
  const auto from_a = reinterpret_cast<std::uintptr_t>(a.begin);
  const auto from_b = reinterpret_cast<std::uintptr_t>(b.begin);
  return from_a + static_cast<std::uintptr_t>(a.count) <= from_b ||
         from_b + static_cast<std::uintptr_t>(b.count) <= from_a;
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

bool views_fit(const Call& call) {
  const auto& [plan, operands, output, options] = call;
  const bool scatter = plan.is_scatter();
  if (!operands.indices || operands.updates.has_value() != scatter) return false;
  if (!as_planned(operands.data, plan.dtype(), plan.data().shape, plan.data_count())) return false;
  if (!as_planned(*operands.indices, plan.indices().dtype, plan.indices().shape, plan.index_count())) return false;
  const TensorView& position = scatter ? *operands.updates : output;
  if (!as_planned(position, plan.dtype(), plan.position_shape(), plan.position_count())) return false;
  return !scatter || as_planned(output, plan.dtype(), plan.data().shape, plan.data_count());
}

// Every operand is there, and the output overlaps none, but for work in place.
bool addresses_fit(const Plan& plan, const DenseOperands& operands, const void* output, std::int64_t width) {
  const bool scatter = plan.is_scatter();
  if (operands.data == nullptr || operands.indices == nullptr || output == nullptr) return false;
  if (scatter && operands.updates == nullptr) return false;
  const Bytes data{operands.data, plan.data_count() * width};
  const Bytes positions{operands.updates, plan.position_count() * width};
  const Bytes to{output, scatter ? data.count : positions.count};
  const bool in_place = scatter && output == operands.data;
  return (in_place || apart(to, data)) &&
         apart(to, {operands.indices, plan.index_count() * bit_width(plan.indices().dtype) / 8}) &&
         (!scatter || apart(to, positions));
}

// Whether a call of the plan is small, wherever its operands lie.
bool is_small(const Plan& plan, const Options& options) {
  const std::int64_t count = plan.row_count();
  if (count < 1 || count > kSmallRows || plan.dtype() == DType::kString) return false;
  if (options.force_strategy || options.reject_duplicates) return false;
  const int bits = bit_width(plan.dtype());
  const std::int64_t output_count = plan.is_scatter() ? plan.data_count() : plan.position_count();
  return bits >= 8 && output_count >= 1 && output_count <= kSmallBytes / (bits / 8) &&
         plan.position_count() <= kSmallBytes;
}

DenseOperands addresses_of(const Operands& operands) {
  return {operands.data.data(), operands.indices->data(), operands.updates ? operands.updates->data() : nullptr};
}

}  // namespace

bool is_small(const Call& call) {
  return is_small(call.plan, call.options) && views_fit(call) &&
         addresses_fit(call.plan, addresses_of(call.operands), call.output.data(),
                       bit_width(call.plan.dtype()) / 8);
}

bool run_small(const Call& call) {
  return is_small(call.plan, call.options) && views_fit(call) &&
         run_small(call.plan, addresses_of(call.operands), call.output.data(), call.options);
}

bool run_small(const Plan& plan, const DenseOperands& operands, void* output, const Options& options) {
  const std::int64_t width = bit_width(plan.dtype()) / 8;
  if (!is_small(plan, options) || !addresses_fit(plan, operands, output, width)) return false;
  const std::int64_t count = plan.row_count();
  const std::int64_t row = plan.position_count() / count;
  std::array<std::int64_t, kSmallRows> chosen;
  const bool ok = visit_index_type(
      plan.indices().dtype, [&](auto tag) { return resolve<decltype(tag)>(plan, operands.indices, row, chosen); });
  if (!ok) return false;

  if (!plan.is_scatter()) {
    copy_kernel(plan.dtype())(output, operands.data, nullptr, chosen.data(), count, row);
    return true;
  }
  if (output != operands.data) {
    std::memcpy(output, operands.data, static_cast<std::size_t>(plan.data_count() * width));
  }
  const Kernel kernel = plan.reduction() == Reduction::kNone ? copy_kernel(plan.dtype())
                                                             : combine_kernel(plan.dtype(), plan.reduction());
  kernel(output, operands.updates, chosen.data(), nullptr, count, row);
  return true;
}

}  // namespace strew
