#include <algorithm>

#include "executor.h"
#include "facts.h"
#include "strew/dtype.h"
#include "strew/shape.h"
#include "tensors.h"

namespace strew::ort {
namespace {

template <class Bits>
std::optional<std::uint64_t> one_value(const void* data, std::int64_t count) {
  const auto* bits = static_cast<const Bits*>(data);
  if (!std::all_of(bits, bits + count, [&](Bits other) { return other == *bits; })) return std::nullopt;
  return *bits;
}

std::optional<Scalar> one_value(const Tensor& tensor) {
  const std::int64_t count = element_count(Shape(tensor.dims));
  if (count == 0 || tensor.dtype == DType::kString) return std::nullopt;
  std::optional<std::uint64_t> bits;
  if (bit_width(tensor.dtype) == 16) bits = one_value<std::uint16_t>(tensor.data, count);
  if (bit_width(tensor.dtype) == 32) bits = one_value<std::uint32_t>(tensor.data, count);
  if (bit_width(tensor.dtype) == 64) bits = one_value<std::uint64_t>(tensor.data, count);
  return bits ? std::optional(Scalar{tensor.dtype, *bits}) : std::nullopt;
}

template <class Bits>
void fill_all(void* to, std::uint64_t bits, std::int64_t count, Executor& executor) {
  const std::int64_t most_tasks = count * static_cast<std::int64_t>(sizeof(Bits)) / kTaskBytes;
  auto* const elements = static_cast<Bits*>(to);
  run_in_parts(executor, count, most_tasks, [&](std::int64_t begin, std::int64_t end) {
    std::fill(elements + begin, elements + end, static_cast<Bits>(bits));
  });
}

}  // namespace

std::optional<Filled> filled(const Api& api, const OrtValueInfo* value) {
  if (const OrtValue* constant = constant_value(api, value)) {
    const std::optional<Scalar> scalar = one_value(read_tensor(api, constant));
    return scalar ? std::optional(Filled{.scalar = *scalar}) : std::nullopt;
  }
  const std::optional<Node> maker = producer(api, value);
  if (!maker) return std::nullopt;
  if (maker->is("ConstantOfShape")) {
    const Owned<OrtValue> tensor = maker->tensor_attribute("value");
    const std::optional<Scalar> scalar =
        tensor ? one_value(read_tensor(api, tensor.get())) : std::optional(Scalar{DType::kFloat32, 0});
    if (!scalar) return std::nullopt;
    return Filled{*scalar, maker, maker->input(0)};
  }
  const OrtValue* constant = maker->is("Expand") ? constant_value(api, maker->input(0)) : nullptr;
  if (constant == nullptr) return std::nullopt;
  const Tensor tensor = read_tensor(api, constant);
  const std::optional<Scalar> scalar = element_count(Shape(tensor.dims)) == 1 ? one_value(tensor) : std::nullopt;
  if (!scalar) return std::nullopt;
  return Filled{*scalar, maker, maker->input(1), static_cast<std::int64_t>(tensor.dims.size())};
}

void fill(const MutableTensorView& output, Scalar scalar, Executor& executor) {
  const std::int64_t count = element_count(output.shape());
  const int bits = bit_width(scalar.dtype);
  const auto fill_bits = bits == 16   ? fill_all<std::uint16_t>
                         : bits == 32 ? fill_all<std::uint32_t>
                                      : fill_all<std::uint64_t>;
  fill_bits(output.data(), scalar.bits, count, executor);
}

void Fills::note(const std::string& base, std::optional<Scalar> scalar) {
  const std::lock_guard lock(mutex_);
  const auto [known, added] = by_name_.try_emplace(base, scalar);
  if (!added && known->second != scalar) known->second = std::nullopt;
}

std::optional<Scalar> Fills::of(const std::string& base) const {
  const std::lock_guard lock(mutex_);
  const auto known = by_name_.find(base);
  return known == by_name_.end() ? std::nullopt : known->second;
}

}  // namespace strew::ort
