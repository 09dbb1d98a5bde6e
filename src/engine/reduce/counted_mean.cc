// Means.
#include "engine/reduce/counted_mean.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernel/either.h"

namespace strew {
namespace {

// Copies the elements, `step` apart, whose count is not 0.
template <class Bits, class Count>
void take_reached(std::byte* to, const std::byte* from, const Count* counts, std::int64_t count,
                  std::int64_t step) {
  step *= static_cast<std::int64_t>(sizeof(Bits));
  for (std::int64_t i = 0; i < count; ++i) {
    Bits old;
    Bits folded;
    std::memcpy(&old, to + i * step, sizeof old);
    std::memcpy(&folded, from + i * step, sizeof folded);
    old = either(counts[i] != 0, folded, old);
    std::memcpy(to + i * step, &old, sizeof old);
  }
}

}  // namespace

CountedMean::CountedMean(const Plan& plan, const FoldLayout& layout) noexcept
    : dtype_(plan.dtype()),
      include_self_(plan.include_self()),
      apart_(layout.sums && layout.apart_width > 0),
      sum_(layout.sums ? counted_sum(plan.dtype()) : nullptr),
      divide_(divide_by_terms(folded_type(plan))) {}

// The neutral element: adding a term to it gives the term.
void CountedMean::begin(std::byte* sums, std::int64_t count) const noexcept {
  if (!apart_) return;
  if (dtype_ == DType::kFloat32) {
    std::fill_n(reinterpret_cast<float*>(sums), count, -0.0f);
  } else if (dtype_ == DType::kFloat64) {
    std::fill_n(reinterpret_cast<double*>(sums), count, -0.0);
  } else {
    std::memset(sums, 0, static_cast<std::size_t>(count * bit_width(dtype_) / 8));
  }
}

template <class Count>
void CountedMean::end(const Sums& sums, const Count* counts, std::byte* output) const {
  if constexpr (std::is_same_v<Count, std::uint32_t>) divide_->few(sums, counts, include_self_);
  if constexpr (std::is_same_v<Count, std::uint64_t>) divide_->many(sums, counts, include_self_);
  if (!apart_) return;
  const auto* from = static_cast<const std::byte*>(sums.elements);
  if (bit_width(dtype_) == 32) {
    take_reached<std::uint32_t>(output, from, counts, sums.count, sums.step);
  } else {
    take_reached<std::uint64_t>(output, from, counts, sums.count, sums.step);
  }
}

template void CountedMean::end(const Sums&, const std::uint8_t*, std::byte*) const;
template void CountedMean::end(const Sums&, const std::uint32_t*, std::byte*) const;
template void CountedMean::end(const Sums&, const std::uint64_t*, std::byte*) const;

}  // namespace strew
