// Counting which rows are reached, and what is done when they are first and last.
#include "engine/fold.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "core/parallel.h"
#include "engine/by_owner.h"
#include "engine/regime.h"
#include "engine/tasks.h"
#include "engine/thresholds.h"

namespace strew {
namespace {

constexpr std::int64_t kBlock = 512;  // rows that are told apart at once

DType folded_type(const Plan& plan) noexcept {
  const bool widens = plan.accumulate() == Accumulate::kFloat32 && widening(plan.dtype()) != nullptr;
  return widens ? DType::kFloat32 : plan.dtype();
}

Reduction folded_reduction(const Plan& plan) noexcept {
  return plan.reduction() == Reduction::kMean ? Reduction::kAdd : plan.reduction();
}

// The number of all offsets of positions, whatever their index values.
Range all_offsets(const Geometry& geometry) noexcept {
  const std::int64_t extent = geometry.components.empty() ? 1 : geometry.components.front().extent;
  return reached_offsets(geometry, {0, extent - 1});
}

// Some of the rows of a block.
struct Rows {
  std::array<std::int64_t, kBlock> target;
  std::array<std::int64_t, kBlock> source;
  std::int64_t count = 0;

  void push(std::int64_t to, std::int64_t from) noexcept {
    target[static_cast<std::size_t>(count)] = to;
    source[static_cast<std::size_t>(count)] = from;
    ++count;
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

std::int64_t Fold::bytes(const Plan& plan, const Geometry& geometry) noexcept {
  if (!needed(plan) || geometry.empty() || plan.data_count() == 0) return 0;
  const FoldLayout layout(plan, geometry);
  return layout.count_bytes() + layout.wide_bytes();
}

Fold::Fold(const Plan& plan, const Geometry& geometry, const std::optional<TensorView>& alpha, void* output)
    : layout_(plan, geometry),
      row_(geometry.row),
      include_self_(plan.include_self()),
      output_(static_cast<std::byte*>(output)),
      width_(bit_width(plan.dtype()) / 8),
      folded_width_(bit_width(folded_type(plan)) / 8),
      widening_(layout_.widens ? widening(plan.dtype()) : nullptr),
      prepare_(plan.dtype(), folded_type(plan), geometry.row, alpha),
      fold_(combine_kernel(folded_type(plan), folded_reduction(plan))),
      assign_(copy_kernel(folded_type(plan))),
      divide_(plan.reduction() == Reduction::kMean ? divide_by_terms(folded_type(plan)) : nullptr),
      counts_(layout_.count_bytes(), layout_.sparse, true),
      wide_(layout_.wide_bytes(), layout_.sparse, false) {}

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
  std::byte* folded = widening_ != nullptr ? wide_.data() + origin * folded_width_ : place;
  if (layout_.counts == FoldLayout::Counts::kNone) {
    return prepare_.pass(fold_, folded, source, target_offset, source_offset, count);
  }
  with_counts([&](auto* counts) {
    // Whether the update is the first of its row.
    const auto counted = [&](std::int64_t offset) {
      auto& updates = counts[(origin + offset) >> layout_.unit];
      const bool first = updates == 0;
      updates = static_cast<std::decay_t<decltype(updates)>>(
          layout_.counts == FoldLayout::Counts::kAny ? 1 : updates + 1);
      return first;
    };
    if (include_self_) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (!counted(target_offset[i]) || widening_ == nullptr) continue;
        auto* row = reinterpret_cast<float*>(folded + target_offset[i] * folded_width_);
        widening_->widen(place + target_offset[i] * width_, row, row_);
      }
      return prepare_.pass(fold_, folded, source, target_offset, source_offset, count);
    }
    for (std::int64_t begin = 0; begin < count; begin += kBlock) {
      const std::int64_t end = std::min(begin + kBlock, count);
      Rows first;
      Rows later;
      for (std::int64_t i = begin; i < end; ++i) {
        Rows& rows = counted(target_offset[i]) ? first : later;
        rows.push(target_offset[i], source_offset != nullptr ? source_offset[i] : i * row_);
      }
      prepare_.pass(assign_, folded, source, first.target.data(), first.source.data(), first.count);
      prepare_.pass(fold_, folded, source, later.target.data(), later.source.data(), later.count);
    }
  });
}

void Fold::end_row(std::int64_t unit, std::uint64_t updates) const {
  const std::int64_t at = unit << layout_.unit;
  std::byte* place = output_ + (layout_.lowest + at) * width_;
  std::byte* folded = widening_ != nullptr ? wide_.data() + at * folded_width_ : place;
  if (divide_ != nullptr) divide_(folded, row_, updates + (include_self_ ? 1 : 0));
  if (widening_ != nullptr) widening_->narrow(reinterpret_cast<const float*>(folded), place, row_);
}

void Fold::finish(const Geometry& geometry, const IndexResolver& resolver, Executor& executor) const {
  if (divide_ == nullptr && widening_ == nullptr) return;
  with_counts([&](auto* counts) {
    const auto end = [&](std::int64_t unit) {
      if (counts[unit] == 0) return;
      end_row(unit, counts[unit]);
      counts[unit] = 0;  // once
    };
    if (layout_.sparse) {
      return visit_offsets(geometry, resolver, [&](std::int64_t offset, std::int64_t) {
        end((offset - layout_.lowest) >> layout_.unit);
      });
    }
    const std::int64_t tasks = usual_task_count(executor);
    parallel_for(executor, tasks, [&](std::int64_t i) {
      const Range part = part_of(layout_.units, tasks, i);
      for (std::int64_t unit = part.begin; unit < part.end; ++unit) end(unit);
    });
  });
}

}  // namespace strew
