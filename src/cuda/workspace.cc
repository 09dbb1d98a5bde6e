// Cutting memory.
#include "cuda/workspace.h"

#include <atomic>

namespace strew::cuda {
namespace {

constexpr std::int64_t kAlignment = 256;
std::atomic<int> pretended = 0;

}  // namespace

Pieces::Pieces(const PieceSizes& sizes, void* base) : base_(static_cast<std::byte*>(base)) {
  state = static_cast<CallState*>(take(sizeof(CallState)));
  if (sizes.chosen > 0) chosen = take_numbers(sizes.chosen, sizes.wide);
  if (sizes.winners > 0) winner = take_numbers(sizes.winners, sizes.wide);
  if (sizes.sorted > 0) {
    key = take_numbers(sizes.sorted, sizes.wide);
    position = take_numbers(sizes.sorted, sizes.wide);
    sorted_key = take_numbers(sizes.sorted, sizes.wide);
    sorted_position = take_numbers(sizes.sorted, sizes.wide);
    run = key;  // not needed once they are sorted
    run_count = static_cast<std::uint64_t*>(take(sizeof *run_count));
    sort_bytes = sizes.sort_bytes;
    sort = take(sort_bytes);
  }
}

void* Pieces::take(std::int64_t bytes) {
  std::byte* const at = base_ == nullptr ? nullptr : base_ + used_;
  const std::int64_t end = (bytes / kAlignment + 1) * kAlignment;  // never without a gap
  if (base_ != nullptr) gaps_.push_back({at + bytes, end - bytes});
  used_ += end;
  return at;
}

Numbers Pieces::take_numbers(std::int64_t count, bool wide) { return {take(count * (wide ? 8 : 4)), wide}; }

void Pieces::fence(Queue& queue, bool fenced) const {
  for (const Gap& gap : gaps_) queue.fence(gap.at, gap.bytes, fenced);
}

PretendLarge::PretendLarge() { ++pretended; }
PretendLarge::~PretendLarge() { --pretended; }
bool wants_wide_numbers() noexcept { return pretended.load(std::memory_order_relaxed) > 0; }

}  // namespace strew::cuda
