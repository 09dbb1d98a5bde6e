// Divides memory into buffers.
#include "cuda/workspace.h"

namespace strew::cuda {

void Workspace::cut(const BufferSizes& sizes, Buffers& buffers) {
  if (sizes.state) buffers.state = static_cast<CallState*>(take(sizeof *buffers.state));
  if (sizes.chosen > 0) buffers.chosen = take_numbers(sizes.chosen, sizes.wide);
  if (sizes.winners > 0) buffers.winner = take_numbers(sizes.winners, sizes.wide);
  if (sizes.sorting > 0) {
    buffers.key = take_numbers(sizes.sorting, sizes.wide);
    buffers.position = take_numbers(sizes.sorting, sizes.wide);
    buffers.sort_bytes = sizes.sort_bytes;
    buffers.sort = take(sizes.sort_bytes);
  }
  if (sizes.sorted > 0) {
    buffers.sorted_key = take_numbers(sizes.sorted, sizes.wide);
    buffers.sorted_position = take_numbers(sizes.sorted, sizes.wide);
    // Runs reuse the memory of the unsorted keys, if there are any. Checked indices keep the runs, but not the
    // keys.
    buffers.run = sizes.sorting > 0 ? buffers.key : take_numbers(sizes.sorted, sizes.wide);
    buffers.run_count = static_cast<std::uint64_t*>(take(sizeof *buffers.run_count));
  }
  if (sizes.hot_runs > 0) {
    buffers.hot_count = static_cast<std::uint64_t*>(take(sizeof *buffers.hot_count));
    buffers.hot_bounds = static_cast<std::uint64_t*>(take(sizes.hot_runs * 2 * 8));
    buffers.summaries = take(sizes.summary_bytes);
  }
}

void* Workspace::take(std::int64_t bytes) {
  constexpr std::int64_t kAlignment = 256;
  std::byte* const at = base_ == nullptr ? nullptr : base_ + used_;
  const std::int64_t end = (bytes / kAlignment + 1) * kAlignment;  // always with a gap
  if (base_ != nullptr) gaps_.push_back({at + bytes, end - bytes});
  used_ += end;
  return at;
}

Numbers Workspace::take_numbers(std::int64_t count, bool wide) { return {take(count * (wide ? 8 : 4)), wide}; }

void Workspace::fence(Queue& queue, bool fenced) const {
  for (const Gap& gap : gaps_) queue.fence(gap.at, gap.bytes, fenced);
}

}  // namespace strew::cuda
