// Implements Fold: counts the updates of each row, initialises rows, combines updates, and finishes rows.
#include "engine/reduce/fold.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
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

Prepare::Prepare(DType dtype, DType folded, std::int64_t row, const std::optional<TensorView>& alpha)
    : row_(row),
      width_(bit_width(dtype) / 8),
      most_(static_cast<std::int64_t>(kBytes) * 8 / bit_width(folded)),
      widening_(dtype == folded ? nullptr : widening(dtype)),
      move_(copy_kernel(dtype)) {
  if (!alpha) return;
  auto repeated = std::make_unique<Elements>();
  make(repeated->data(), static_cast<const std::byte*>(alpha->data()), nullptr, 1, 1);
  for (auto filled_bytes = static_cast<std::size_t>(bit_width(folded) / 8); filled_bytes < kBytes;
       filled_bytes *= 2) {
    std::memcpy(repeated->data() + filled_bytes, repeated->data(), filled_bytes);
  }
  alpha_ = std::move(repeated);
  scale_ = combine_kernel(folded, Reduction::kMul);
}

void Prepare::pass(Kernel kernel, void* target, const void* source, const std::int64_t* target_offset,
                   const std::int64_t* source_offset, std::int64_t count) const {
  if (widening_ == nullptr && scale_ == nullptr) {
    return kernel(target, source, target_offset, source_offset, count, row_);
  }
  const auto* from = static_cast<const std::byte*>(source);
  Elements elements;
  const std::int64_t rows = most_ / row_;
  for (std::int64_t i = 0; i < count && rows > 0; i += rows) {
    const std::int64_t n = std::min(rows, count - i);
    if (source_offset != nullptr) {
      make(elements.data(), from, source_offset + i, n, row_);
    } else {
      make(elements.data(), from + i * row_ * width_, nullptr, n, row_);
    }
    kernel(target, elements.data(), target_offset + i, nullptr, n, row_);
  }
  if (rows > 0) return;
  for (std::int64_t i = 0; i < count; ++i) {  // rows longer than `elements`: part by part
    const std::int64_t begin = source_offset != nullptr ? source_offset[i] : i * row_;
    for (std::int64_t done = 0; done < row_; done += most_) {
      const std::int64_t length = std::min(most_, row_ - done);
      const std::int64_t destination = target_offset[i] + done;
      make(elements.data(), from + (begin + done) * width_, nullptr, 1, length);
      kernel(target, elements.data(), &destination, nullptr, 1, length);
    }
  }
}

void Prepare::make(std::byte* to, const std::byte* source, const std::int64_t* offset, std::int64_t count,
                   std::int64_t row) const {
  if (widening_ == nullptr) {
    move_(to, source, nullptr, offset, count, row);
  } else if (offset == nullptr) {
    widening_->widen(source, reinterpret_cast<float*>(to), count * row);
  } else {
    std::array<std::byte, kBytes / 2> together;  // elements of at most 2 bytes, widened to 4
    move_(together.data(), source, nullptr, offset, count, row);
    widening_->widen(together.data(), reinterpret_cast<float*>(to), count * row);
  }
  if (scale_ == nullptr) return;
  constexpr std::int64_t kBegin = 0;
  scale_(to, alpha_->data(), &kBegin, &kBegin, 1, count * row);
}

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
