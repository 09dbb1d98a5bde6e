// Counting which rows are reached, and what is done when they are first and last.
#include "engine/fold.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "engine/by_owner.h"
#include "engine/regime.h"
#include "engine/tasks.h"
#include "engine/thresholds.h"
#include "kernel/either.h"

namespace strew {
namespace {

constexpr std::int64_t kBlock = 128;  // rows that are told apart at once

DType folded_type(const Plan& plan) noexcept {
  const bool widens = plan.accumulate() == Accumulate::kFloat32 && widening(plan.dtype()) != nullptr;
  return widens ? DType::kFloat32 : plan.dtype();
}

Reduction folded_reduction(const Plan& plan) noexcept {
  return plan.reduction() == Reduction::kMean ? Reduction::kAdd : plan.reduction();
}

// Whether an element's first update, as it is, takes its place, and others are folded with it.
bool begins_elements(const Plan& plan, const Geometry& geometry, const FoldLayout& layout) noexcept {
  return !plan.include_self() && geometry.row == 1 && !plan.scales() && !layout.widens &&
         layout.counts == FoldLayout::Counts::kAny;
}

// The number of all offsets of positions, whatever their index values.
Range all_offsets(const Geometry& geometry) noexcept {
  const std::int64_t extent = geometry.components.empty() ? 1 : geometry.components.front().extent;
  return reached_offsets(geometry, {0, extent - 1});
}

// Rows of a block, by their numbers.
struct Rows {
  std::array<std::uint16_t, kBlock> number;
  std::int64_t count = 0;
};

// Counts updates of rows, each at a unit, and tells those that are the first of their row from the others. Which
// one it is changes with each row, so there is no branch.
template <class Count>
void tell_apart(Count* __restrict counts, const std::int64_t* __restrict units, std::int64_t count, Rows& first,
                Rows& later) {
  constexpr bool kCounts = sizeof(Count) > 1;
  std::int64_t firsts = 0;
  std::int64_t laters = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Count before = counts[units[i]];
    counts[units[i]] = kCounts ? before + 1 : 1;
    first.number[static_cast<std::size_t>(firsts)] = static_cast<std::uint16_t>(i);
    later.number[static_cast<std::size_t>(laters)] = static_cast<std::uint16_t>(i);
    firsts += before == 0 ? 1 : 0;
    laters += before == 0 ? 0 : 1;
  }
  first.count = firsts;
  later.count = laters;
}

// Writes what sums begin with: the sum of no terms, to which a term is added unchanged.
void write_nothing(DType dtype, std::byte* to, std::int64_t count) {
  if (dtype == DType::kFloat32) {
    std::fill_n(reinterpret_cast<float*>(to), count, -0.0f);
  } else if (dtype == DType::kFloat64) {
    std::fill_n(reinterpret_cast<double*>(to), count, -0.0);
  } else {
    std::memset(to, 0, static_cast<std::size_t>(count * bit_width(dtype) / 8));
  }
}

// Copies the elements, `step` apart, that have counts.
template <class Bits, class Counts>
void take_reached(std::byte* to, const std::byte* from, const Counts counts, std::int64_t count,
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

// What a kernel is told of some rows of a block.
struct Offsets {
  std::array<std::int64_t, kBlock> target;
  std::array<std::int64_t, kBlock> source;

  Offsets(const Rows& rows, const std::int64_t* targets, const std::int64_t* sources, std::int64_t row) {
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const std::int64_t number = rows.number[static_cast<std::size_t>(i)];
      target[static_cast<std::size_t>(i)] = targets[number];
      source[static_cast<std::size_t>(i)] = sources != nullptr ? sources[number] : number * row;
    }
  }
};

}  // namespace

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
  reach = offsets.end - offsets.begin - 1 + geometry.row;
  sparse = units / kUnitsForEachPosition > geometry.loop.count();
  // Sums that do without data begin with nothing, in memory of their own: to ask at each update whether it is the
  // first took as long as all else (4 Mi floats into 1 Mi 50 to 30 ms).
  sums = counts == Counts::kFew && geometry.row == 1 && !plan.scales() && !widens &&
         (plan.include_self() || !sparse) && counted_sum(plan.dtype()) != nullptr;
  if (widens || (sums && !plan.include_self())) apart_width = bit_width(folded_type(plan)) / 8;
}

std::int64_t FoldLayout::count_bytes() const noexcept {
  switch (counts) {
    case Counts::kNone:
      return 0;
    case Counts::kAny:
      return units;
    case Counts::kFew:
      return units * 4;
    case Counts::kMany:
      return units * 8;
  }
  return 0;
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

bool Fold::needed(const Plan& plan) noexcept {
  if (plan.reduction() == Reduction::kNone) return false;
  return plan.reduction() == Reduction::kMean || !plan.include_self() || plan.scales() ||
         folded_type(plan) != plan.dtype();
}

Fold::Fold(const Plan& plan, const Geometry& geometry, const FoldLayout& layout,
           const std::optional<TensorView>& alpha, void* output)
    : layout_(layout),
      row_(geometry.row),
      include_self_(plan.include_self()),
      output_(static_cast<std::byte*>(output)),
      width_(bit_width(plan.dtype()) / 8),
      folded_width_(bit_width(folded_type(plan)) / 8),
      widening_(layout_.widens ? widening(plan.dtype()) : nullptr),
      prepare_(plan.dtype(), folded_type(plan), geometry.row, alpha),
      fold_(combine_kernel(folded_type(plan), folded_reduction(plan))),
      assign_(copy_kernel(folded_type(plan))),
      counted_sum_(layout_.sums ? counted_sum(plan.dtype()) : nullptr),
      begin_(begins_elements(plan, geometry, layout_) ? beginning_kernel(plan.dtype(), plan.reduction())
                                                      : nullptr),
      divide_(plan.reduction() == Reduction::kMean ? divide_by_terms(folded_type(plan)) : nullptr),
      counts_(layout_.count_bytes(), layout_.sparse, true),
      apart_(layout_.apart_bytes(), layout_.sparse, false) {
  if (layout_.sums && layout_.apart_width > 0) write_nothing(plan.dtype(), apart_.data(), layout_.reach);
}

template <class Visit>
void Fold::with_counts(const Visit& visit) const {
  switch (layout_.counts) {
    case FoldLayout::Counts::kNone:
      return;
    case FoldLayout::Counts::kAny:
      return visit(reinterpret_cast<std::uint8_t*>(counts_.data()));
    case FoldLayout::Counts::kFew:
      return visit(reinterpret_cast<std::uint32_t*>(counts_.data()));
    case FoldLayout::Counts::kMany:
      return visit(reinterpret_cast<std::uint64_t*>(counts_.data()));
  }
}

void Fold::apply(void* target, const void* source, const std::int64_t* target_offset,
                 const std::int64_t* source_offset, std::int64_t count) const {
  auto* place = static_cast<std::byte*>(target);
  const std::int64_t origin = (place - output_) / width_ - layout_.lowest;
  std::byte* folded = folded_at(origin, place);
  if (layout_.counts == FoldLayout::Counts::kNone) {
    return prepare_.pass(fold_, folded, source, target_offset, source_offset, count);
  }
  if (counted_sum_ != nullptr) {
    const CountsAt<std::uint32_t> terms{reinterpret_cast<std::uint32_t*>(counts_.data()), origin, layout_.unit};
    return counted_sum_(folded, source, target_offset, source_offset, count, terms);
  }
  if (begin_ != nullptr) {
    const CountsAt<std::uint8_t> reached{reinterpret_cast<std::uint8_t*>(counts_.data()), origin, layout_.unit};
    return begin_(place, source, target_offset, source_offset, count, reached);
  }
  with_counts([&](auto* counts) {
    for (std::int64_t begin = 0; begin < count; begin += kBlock) {
      const std::int64_t here = std::min(count - begin, kBlock);
      const std::int64_t* targets = target_offset + begin;
      const std::int64_t* sources = source_offset != nullptr ? source_offset + begin : nullptr;
      const std::byte* from = static_cast<const std::byte*>(source);
      if (sources == nullptr) from += begin * row_ * width_;
      std::array<std::int64_t, kBlock> units;
      for (std::int64_t i = 0; i < here; ++i) {
        units[static_cast<std::size_t>(i)] = (origin + targets[i]) >> layout_.unit;
      }
      if (include_self_ && widening_ == nullptr) {
        for (std::int64_t i = 0; i < here; ++i) ++counts[units[static_cast<std::size_t>(i)]];
        prepare_.pass(fold_, folded, from, targets, sources, here);
        continue;
      }
      Rows first;
      Rows later;
      tell_apart(counts, units.data(), here, first, later);
      if (!include_self_) {
        {
          const Offsets begins(first, targets, sources, row_);
          prepare_.pass(assign_, folded, from, begins.target.data(), begins.source.data(), first.count);
        }
        const Offsets goes_on(later, targets, sources, row_);
        prepare_.pass(fold_, folded, from, goes_on.target.data(), goes_on.source.data(), later.count);
        continue;
      }
      for (std::int64_t i = 0; i < first.count; ++i) {
        const std::int64_t at = targets[first.number[static_cast<std::size_t>(i)]];
        widening_->widen(place + at * width_, reinterpret_cast<float*>(folded + at * folded_width_), row_);
      }
      prepare_.pass(fold_, folded, from, targets, sources, here);
    }
  });
}

void Fold::end_rows(Range units) const {
  const std::int64_t begin = units.begin << layout_.unit;
  std::byte* place = output_ + (layout_.lowest + begin) * width_;
  std::byte* folded = folded_at(begin, place);
  const std::int64_t step = std::int64_t{1} << layout_.unit;
  const Sums sums{folded, units.end - units.begin, step, row_};
  with_counts([&](auto* counts) {
    counts += units.begin;
    if (divide_ != nullptr) {
      using Count = std::decay_t<decltype(*counts)>;
      if constexpr (std::is_same_v<Count, std::uint32_t>) divide_->few(sums, counts, include_self_);
      if constexpr (std::is_same_v<Count, std::uint64_t>) divide_->many(sums, counts, include_self_);
    }
    if (layout_.apart_width == 0) return;
    if (layout_.sums) {
      const auto take = width_ == 4 ? &take_reached<std::uint32_t, decltype(counts)>
                                    : &take_reached<std::uint64_t, decltype(counts)>;
      return take(place, folded, counts, sums.count, step);
    }
    for (std::int64_t i = 0; i < sums.count; ++i) {
      if (counts[i] == 0) continue;
      const auto* row = reinterpret_cast<const float*>(folded + i * step * folded_width_);
      widening_->narrow(row, place + i * step * width_, row_);
    }
  });
}

void Fold::finish(const Geometry& geometry, const IndexResolver& resolver, Executor& executor) const {
  if (divide_ == nullptr && widening_ == nullptr) return;
  if (layout_.sparse) {
    return with_counts([&](auto* counts) {
      visit_offsets(geometry, resolver, [&](std::int64_t offset, std::int64_t) {
        const std::int64_t unit = (offset - layout_.lowest) >> layout_.unit;
        end_rows({unit, unit + 1});
        counts[unit] = 0;  // once
      });
    });
  }
  const std::int64_t tasks = usual_task_count(executor);
  parallel_for(executor, tasks, [&](std::int64_t i) { end_rows(part_of(layout_.units, tasks, i)); });
}

}  // namespace strew
