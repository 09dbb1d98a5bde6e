// Cutting memory.
#include "cuda/workspace.h"

namespace strew::cuda {
namespace {

constexpr std::int64_t kAlignment = 256;

}  // namespace

void Workspace::cut(const PieceSizes& sizes, Pieces& pieces) {
  if (sizes.state) pieces.state = static_cast<CallState*>(take(sizeof *pieces.state));
  if (sizes.chosen > 0) pieces.chosen = take_numbers(sizes.chosen, sizes.wide);
  if (sizes.winners > 0) pieces.winner = take_numbers(sizes.winners, sizes.wide);
  if (sizes.sorting > 0) {
    pieces.key = take_numbers(sizes.sorting, sizes.wide);
    pieces.position = take_numbers(sizes.sorting, sizes.wide);
    pieces.sort_bytes = sizes.sort_bytes;
    pieces.sort = take(sizes.sort_bytes);
  }
  if (sizes.sorted > 0) {
    pieces.sorted_key = take_numbers(sizes.sorted, sizes.wide);
    pieces.sorted_position = take_numbers(sizes.sorted, sizes.wide);
    // Keys are not needed once they are sorted, where they are no longer kept than runs are.
    pieces.run = sizes.sorting > 0 ? pieces.key : take_numbers(sizes.sorted, sizes.wide);
    pieces.run_count = static_cast<std::uint64_t*>(take(sizeof *pieces.run_count));
  }
  if (sizes.hot_runs > 0) {
    pieces.hot_count = static_cast<std::uint64_t*>(take(sizeof *pieces.hot_count));
    pieces.hot_bounds = static_cast<std::uint64_t*>(take(sizes.hot_runs * 2 * 8));
    pieces.summaries = take(sizes.summary_bytes);
  }
}

void* Workspace::take(std::int64_t bytes) {
  std::byte* const at = base_ == nullptr ? nullptr : base_ + used_;
  const std::int64_t end = (bytes / kAlignment + 1) * kAlignment;  // never without a gap
  if (base_ != nullptr) gaps_.push_back({at + bytes, end - bytes});
  used_ += end;
  return at;
}

Numbers Workspace::take_numbers(std::int64_t count, bool wide) { return {take(count * (wide ? 8 : 4)), wide}; }

void Workspace::fence(Queue& queue, bool fenced) const {
  for (const Gap& gap : gaps_) queue.fence(gap.at, gap.bytes, fenced);
}

}  // namespace strew::cuda
