// The steps of a reduction: counts the updates of rows, starts the rows, combines updates, and finishes the rows.
#include "engine/reduce/fold.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace strew {
namespace {

// The offsets of a subset of updates, as arguments of a kernel.
struct Offsets {
  std::array<std::int64_t, static_cast<std::size_t>(SomeRows::kBlock)> target;
  std::array<std::int64_t, static_cast<std::size_t>(SomeRows::kBlock)> source;

  Offsets(const SomeRows& rows, const RowUpdates& updates, std::int64_t row) noexcept {
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::int64_t number = rows.number[at];
      target[at] = updates.target_offset[number];
      source[at] = updates.source_offset != nullptr ? updates.source_offset[number] : number * row;
    }
  }
};

}  // namespace

Fold::Fold(const Plan& plan, const Geometry& geometry, const FoldLayout& layout,
           const std::optional<TensorView>& alpha, void* output)
    : layout_(layout),
      row_(geometry.row),
      output_(static_cast<std::byte*>(output)),
      width_(bit_width(plan.dtype()) / 8),
      prepare_(plan.dtype(), folded_type(plan), geometry.row, alpha),
      fold_(combine_kernel(folded_type(plan), folded_reduction(plan))),
      include_self_(plan.include_self()),
      counts_(layout),
      separate_(layout.separate_bytes(), layout.sparse, false) {
  if (plan.reduction() == Reduction::kMean) mean_ = divide_by_terms(folded_type(plan));
  if (!plan.include_self()) without_self_.emplace(plan, geometry);
  if (layout.widens) wide_.emplace(plan, geometry);
}

void Fold::apply(void* target, const void* source, const std::int64_t* target_offset,
                 const std::int64_t* source_offset, std::int64_t count) const {
  auto* destination = static_cast<std::byte*>(target);
  const std::int64_t origin = (destination - output_) / width_ - layout_.lowest;
  if (layout_.counts == FoldLayout::Counts::kNone) {
    return prepare_.pass(fold_, destination, source, target_offset, source_offset, count);
  }
  const auto* from = static_cast<const std::byte*>(source);
  for (std::int64_t begin = 0; begin < count; begin += SomeRows::kBlock) {
    RowUpdates updates{from, target_offset + begin, nullptr, std::min(count - begin, SomeRows::kBlock)};
    if (source_offset != nullptr) {
      updates.source_offset = source_offset + begin;
    } else {
      updates.source += begin * row_ * width_;
    }
    apply_block(destination, origin, updates);
  }
}

void Fold::apply_block(std::byte* destination, std::int64_t origin, const RowUpdates& updates) const {
  std::byte* folded = folded_at(origin, destination);
  if (!without_self_ && !wide_) {
    counts_.count(updates.target_offset, updates.count, origin);
  } else {
    SomeRows first;
    SomeRows later;
    counts_.tell_apart(updates.target_offset, updates.count, origin, first, later);
    if (without_self_) return without_self_->apply(prepare_, fold_, folded, updates, first, later);
    wide_->begin(destination, folded, updates, first);
  }
  prepare_.pass(fold_, folded, updates.source, updates.target_offset, updates.source_offset, updates.count);
}

void Fold::end_rows(Range units) const {
  const std::int64_t begin = units.begin << layout_.unit;
  std::byte* destination = output_ + (layout_.lowest + begin) * width_;
  const Sums rows{folded_at(begin, destination), units.end - units.begin, std::int64_t{1} << layout_.unit, row_};
  counts_.visit([&]<class Count>(const Count* counts) {
    if constexpr (std::is_same_v<Count, std::uint32_t>) {
      if (mean_ != nullptr) mean_->few(rows, counts + units.begin, include_self_);
    } else if constexpr (std::is_same_v<Count, std::uint64_t>) {
      if (mean_ != nullptr) mean_->many(rows, counts + units.begin, include_self_);
    }
    if (wide_) wide_->end(rows, counts + units.begin, destination);
  });
}

void Fold::finish(const Geometry& geometry, const IndexResolver& resolver, Executor& executor) const {
  if (mean_ == nullptr && !wide_) return;
  if (layout_.sparse) {
    return counts_.visit([&](auto* counts) {
      visit_offsets(geometry, resolver, [&](std::int64_t offset, std::int64_t) {
        const std::int64_t unit = (offset - layout_.lowest) >> layout_.unit;
        end_rows({unit, unit + 1});
        counts[unit] = 0;  // so that each row is finished once
      });
    });
  }
  const std::int64_t tasks = usual_task_count(executor);
  parallel_for(executor, tasks, [&](std::int64_t i) { end_rows(part_of(layout_.units, tasks, i)); });
}

// Not inlined: offsets take 2 KiB of stack.
[[gnu::noinline]] void WithoutSelf::apply(const Prepare& prepare, Kernel fold, void* target,
                                          const RowUpdates& updates, const SomeRows& first,
                                          const SomeRows& later) const {
  const auto pass = [&](Kernel kernel, const SomeRows& rows) {
    const Offsets offsets(rows, updates, row_);
    prepare.pass(kernel, target, updates.source, offsets.target.data(), offsets.source.data(), rows.count);
  };
  pass(assign_, first);
  pass(fold, later);
}

}  // namespace strew
