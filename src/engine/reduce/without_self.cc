// Reductions that start from the first update.
#include "engine/reduce/without_self.h"

#include <array>

namespace strew {
namespace {

// Kernel arguments of some updates.
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

void WithoutSelf::apply(const Prepare& prepare, Kernel fold, void* target, const RowUpdates& updates,
                        const SomeRows& first, const SomeRows& later) const {
  const auto pass = [&](Kernel kernel, const SomeRows& rows) {
    const Offsets offsets(rows, updates, row_);
    prepare.pass(kernel, target, updates.source, offsets.target.data(), offsets.source.data(), rows.count);
  };
  pass(assign_, first);
  pass(fold, later);
}

}  // namespace strew
