// Counts the updates of each row of the output.
#include "engine/reduce/row_counts.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "core/tuning.h"
#include "kernel/kernel.h"

namespace strew {
namespace {

// The range of the data offsets that any index values can reach.
Range all_offsets(const Geometry& geometry) noexcept {
  const std::int64_t extent = geometry.components.empty() ? 1 : geometry.components.front().extent;
  return reached_offsets(geometry, {0, extent - 1});
}

}  // namespace

DType folded_type(const Plan& plan) noexcept {
  const bool widens = plan.acc_dtype() == AccDType::kFloat32 && widening(plan.dtype()) != nullptr;
  return widens ? DType::kFloat32 : plan.dtype();
}

Reduction folded_reduction(const Plan& plan) noexcept {
  return plan.reduction() == Reduction::kMean ? Reduction::kAdd : plan.reduction();
}

FoldLayout::FoldLayout(const Plan& plan, const Geometry& geometry) noexcept {
  widens = folded_type(plan) != plan.dtype();
  if (plan.reduction() == Reduction::kMean) {
    counts = plan.position_count() < std::int64_t{UINT32_MAX} ? Counts::kFew : Counts::kMany;
  } else if (widens || !plan.include_self()) {
    counts = Counts::kAny;
  }
  const Range offsets = all_offsets(geometry);
  lowest = offsets.begin;
  unit = offset_unit(geometry);
  units = ((offsets.end - offsets.begin - 1) >> unit) + 1;
  reach_elements = offsets.end - offsets.begin - 1 + geometry.row;
  sparse = units / min_sparse_rows_per_update(element_bytes(geometry)) > geometry.loop.count();
  if (widens) separate_element_bytes = bit_width(folded_type(plan)) / 8;
}

std::int64_t FoldLayout::count_bytes() const noexcept {
  constexpr std::array<std::int64_t, 4> kBytes = {0, 1, 4, 8};  // kNone, kAny, kFew, kMany
  return units * kBytes[static_cast<std::size_t>(counts)];
}

PartlyUsed::PartlyUsed(std::int64_t bytes, bool sparse, bool zero) : dense_(sparse ? 0 : bytes) {
  if (!sparse) {
    if (zero && bytes > 0) std::memset(dense_.data(), 0, static_cast<std::size_t>(bytes));
    return;
  }
  if (bytes == 0) return;
  if (!std::in_range<std::size_t>(bytes)) throw std::bad_alloc();
  const auto size = static_cast<std::size_t>(bytes);
  sparse_.reset(static_cast<std::byte*>(zero ? std::calloc(size, 1) : std::malloc(size)));
  if (sparse_ == nullptr) throw std::bad_alloc();
}

void PartlyUsed::Free::operator()(std::byte* memory) const noexcept { std::free(memory); }

void RowCounts::count(const std::int64_t* target_offset, std::int64_t count, std::int64_t origin) const {
  visit([&](auto* counts) {
    for (std::int64_t i = 0; i < count; ++i) ++counts[(origin + target_offset[i]) >> unit_];
  });
}

// Does not branch on the count, since the branch would be unpredictable.
void RowCounts::tell_apart(const std::int64_t* target_offset, std::int64_t count, std::int64_t origin,
                           SomeRows& first, SomeRows& later) const {
  visit([&]<class Count>(Count* __restrict counts) {
    constexpr bool kCounts = sizeof(Count) > 1;
    std::int64_t firsts = 0;
    std::int64_t laters = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      Count& seen = counts[(origin + target_offset[i]) >> unit_];
      const Count before = seen;
      seen = kCounts ? before + 1 : 1;
      first.number[static_cast<std::size_t>(firsts)] = static_cast<std::uint16_t>(i);
      later.number[static_cast<std::size_t>(laters)] = static_cast<std::uint16_t>(i);
      firsts += before == 0 ? 1 : 0;
      laters += before == 0 ? 0 : 1;
    }
    first.count = firsts;
    later.count = laters;
  });
}

}  // namespace strew
