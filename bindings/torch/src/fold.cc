#include <optional>
#include <type_traits>

#include "operators.h"
#include "resources.h"

namespace strew::aten {
namespace {

/// The bit patterns of 1 and of infinity.
template <class Bits>
struct Float {
  Bits one;
  std::make_signed_t<Bits> infinity;
};

/// True if `matches(bits, bits without the sign, format)` holds for any element. Tests all elements, so that the
/// loop vectorises.
template <class Matches>
bool any(const Tensor& values, const Matches& matches) {
  const auto counted = [&]<class Bits>(Float<Bits> format) {
    const auto* const bits = static_cast<const Bits*>(values.const_data_ptr());
    constexpr auto kNoSign = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
    Bits found = 0;
    for (std::int64_t i = 0; i < values.numel(); ++i) {
      const auto size = static_cast<std::make_signed_t<Bits>>(bits[i] & kNoSign);
      found |= static_cast<Bits>(matches(bits[i], size, format));
    }
    return found != 0;
  };
  const at::ScalarType type = values.scalar_type();
  if (type == at::kDouble) return counted(Float<std::uint64_t>{0x3FF0000000000000, 0x7FF0000000000000});
  if (type == at::kFloat) return counted(Float<std::uint32_t>{0x3F800000, 0x7F800000});
  return counted(type == at::kBFloat16 ? Float<std::uint16_t>{0x3F80, 0x7F80}
                                       : Float<std::uint16_t>{0x3C00, 0x7C00});
}

template <class Index>
Index all_bits(const Tensor& indices) {
  const auto* const values = static_cast<const Index*>(indices.const_data_ptr());
  Index bits = 0;
  for (std::int64_t i = 0; i < indices.numel(); ++i) bits |= values[i];
  return bits;
}

}  // namespace

bool has_negative(const Tensor& indices) {
  return indices.scalar_type() == at::kInt ? all_bits<std::int32_t>(indices) < 0
                                           : all_bits<std::int64_t>(indices) < 0;
}

Options options_for(std::int64_t elements) {
  Options options;
  options.executor = executor_for(elements);
  return options;
}

Outcome fold(Tensor& result, const Tensor& data, const Edges& edges, const GatherScatterOperands& operands,
             Reduction reduction, Tensor* winners) {
  const std::int64_t columns = data.size(1);
  const std::int64_t sizes[] = {edges.target_size(), columns};
  result = new_tensor(sizes, data.scalar_type());
  std::optional<MutableTensorView> of_winners;
  if (winners != nullptr) {
    *winners = new_tensor(sizes, at::kLong);
    of_winners = writable(*winners, Axes(*winners));
  }
  // As in PyTorch, float16 and bfloat16 are summed in float32.
  const GatherScatterParams params{.reduction = reduction,
                                   .acc_dtype = is_half(data) ? AccDType::kFloat32 : AccDType::kData};
  Options options = options_for(edges.given_count() * columns);
  options.promises.output_is_new = true;
  const Status status = gather_scatter_into(view(data), edges, operands, params, writable(result, Axes(result)),
                                            of_winners, options);
  return status ? Outcome::kTaken : outcome_of(status.error());
}

bool all_ones(const Tensor& values) {
  return !any(values, [](auto bits, auto, auto type) { return bits != type.one; });
}

bool has_nan(const Tensor& values) {
  return any(values, [](auto, auto size, auto type) { return size > type.infinity; });
}

bool has_nan_or_infinity(const Tensor& values) {
  return any(values, [](auto, auto size, auto type) { return size >= type.infinity; });
}

}  // namespace strew::aten
