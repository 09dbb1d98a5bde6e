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

using Offsets = std::array<std::int64_t, kSmallRows>;

// Offsets of the rows that indices along the first axis choose. False where one is out of range.
template <class Index>
bool resolve_rows(const Plan& plan, const std::byte* value, std::int64_t row, Offsets& offsets) {
  const std::int64_t extent = plan.data().shape[0];
  const std::int64_t count = plan.row_count();
  bool ok = true;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = load_index<Index>(value + i * static_cast<std::int64_t>(sizeof(Index)));
    const bool inside = in_range(index, extent);
    ok &= inside;
    offsets[static_cast<std::size_t>(i)] = inside ? from_front(index, extent) * row : 0;
  }
  return ok;
}

// The same for tuples.
template <class Index>
bool resolve_tuples(const Plan& plan, const std::byte* value, std::int64_t row, Offsets& offsets) {
  const Shape& shape = plan.data().shape;
  const std::int64_t components = plan.indexed_axes().rank();
  for (std::int64_t i = 0; i < plan.row_count(); ++i) {
    std::int64_t place = 0;
    for (std::int64_t c = 0; c < components; ++c, value += sizeof(Index)) {
      const auto index = load_index<Index>(value);
      if (!in_range(index, shape[c])) return false;
      place = place * shape[c] + from_front(index, shape[c]);
    }
    offsets[static_cast<std::size_t>(i)] = place * row;
  }
  return true;
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
  Offsets chosen;
  const bool ok = visit_index_type(plan.indices().dtype, [&](auto tag) {
    using Index = decltype(tag);
    const auto* values = static_cast<const std::byte*>(operands.indices);
    return plan.indexed_axes().rank() == 1 ? resolve_rows<Index>(plan, values, row, chosen)
                                           : resolve_tuples<Index>(plan, values, row, chosen);
  });
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
