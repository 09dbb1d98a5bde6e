// Sorts updates by blocks of the output. Each chunk of updates is sorted separately, in L2. Then each task applies
// the updates of some blocks. The updates of a block are applied chunk by chunk, in their original order.
#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <span>

#include "core/machine.h"
#include "core/parallel.h"
#include "core/prefetch.h"
#include "core/scratch.h"
#include "core/tuning.h"
#include "engine/geometry/geometry.h"
#include "engine/strategy/cost.h"
#include "engine/strategy/radix_partition.h"
#include "engine/strategy/strategies.h"
#include "kernel/stream.h"

namespace strew {
namespace {

class Partition {
 public:
  Partition(const Work& work, const Choice& choice)
      : work_(work), choice_(choice), layout_(work.geometry, choice, work.drops) {
    for (std::int64_t i = 0; i < choice.strategy.task_count; ++i) new (task_memory(i)) Taken(false);
  }

  const PartitionLayout& layout() const noexcept { return layout_; }

  /// Assigns a bucket to each block, before sorting. Returns false if nearly all updates go to one block.
  bool assign_buckets() const {
    const std::span<std::uint16_t> bucket_of = layout_.lists.bucket_of(work_.scratch);
    const std::span<std::int64_t> hits = costs(layout_.blocks.count()).first(bucket_of.size());
    std::ranges::fill(hits, 1);
    const std::int64_t count = work_.geometry.loop.count();
    const std::int64_t wanted = usual_bucket_count(choice_.strategy.task_count) * kSamplesPerBucket;
    const std::int64_t sampled = std::min(wanted, count / kSamplesPerBucket);
    for (std::int64_t i = 0; i < sampled; ++i) ++hits[block_of(part_of(count, sampled, i).begin)];
    if (layout_.carries == Payload::kOffset) {
      assign_blocks(hits, layout_.lists.bucket_count(), bucket_of);
    } else {
      for (std::size_t b = 0; b < bucket_of.size(); ++b) bucket_of[b] = static_cast<std::uint16_t>(b);
    }
    return sampled < kSamplesPerBucket || std::ranges::max(hits) <= sampled - sampled / kSamplesPerBucket;
  }

  void sort_chunk(std::int64_t task, std::int64_t c) const {
    const WorkerScratch own(*this, task);
    layout_.lists.sort(c, work_.resolver, work_.source, work_.scratch, own.memory() + layout_.own_at);
  }

  /// Computes prefix sums of the costs of buckets. Must be called after sorting and before applying. The cost of a
  /// bucket is its number of updates, plus the cost of copying its block.
  void count_costs() const {
    const std::span<std::int64_t> before = costs(layout_.lists.bucket_count());
    const std::int64_t copy = choice_.copies_data ? layout_.block_bytes() / bytes_copied_per_step() : 0;
    for (std::size_t i = 0; i < before.size(); ++i) before[i] = static_cast<std::int64_t>(i) * copy;
    for (std::int64_t c = 0; c < layout_.lists.chunks(); ++c) {
      const std::uint32_t* starts = layout_.lists.starts(work_.scratch, c);
      for (std::size_t i = 0; i < before.size(); ++i) before[i] += starts[i];
    }
  }

  /// Returns the buckets of a piece. All pieces cost about the same.
  Range choose_share(std::int64_t piece, std::int64_t pieces) const {
    const std::span<const std::int64_t> before = costs(layout_.lists.bucket_count());
    const auto first = [&](std::int64_t i) -> std::int64_t {
      if (i == pieces) return layout_.lists.bucket_count();
      return std::ranges::lower_bound(before, part_of(before.back(), pieces, i).begin) - before.begin();
    };
    return {first(piece), first(piece + 1)};
  }

  void apply(std::int64_t task, Range buckets) const {
    if (layout_.carries == Payload::kOffset) return apply_by_offset(buckets);
    apply_blocks(task, buckets);
  }

 private:
  using Taken = std::atomic<bool>;
  // Each bucket must have one block.
  void apply_blocks(std::int64_t task, Range blocks) const {
    const WorkerScratch own(*this, task);
    const std::int64_t width = layout_.width;
    auto* target = static_cast<std::byte*>(work_.target);
    const std::byte* from = choice_.copies_data ? work_.copied->address() : target;
    std::byte* buffer = own.memory() + layout_.buffer_at;
    std::byte* values = own.memory() + layout_.values_at;
    if (!layout_.lists.has_updates()) write_value(values);
    for (std::int64_t b = blocks.begin; b < blocks.end; ++b) {
      const Range here = layout_.blocks[b];
      const Range next = b + 1 < blocks.end ? layout_.blocks[b + 1] : Range{here.end, here.end};
      std::byte* destination = target + here.begin * width;
      const std::int64_t bytes = (here.end - here.begin) * width;
      RadixPartition::Memory ahead{target, 0};
      if (from != nullptr) ahead = {from + next.begin * width, (next.end - next.begin) * width};
      if (choice_.copies_data) work_.copied->take(here, buffer);
      apply_updates(b, choice_.copies_data ? buffer : destination, ahead, values);
      if (choice_.copies_data) stream_copy()(destination, buffer, bytes);
    }
    if (choice_.copies_data) stream_fence();
  }

  // Not inlined, since a Pattern would enlarge the stack frame of apply_blocks.
  [[gnu::noinline]] void write_value(std::byte* values) const {
    Pattern(work_.source, work_.geometry.dtype).write(values, PartitionLayout::kValueBytes, false);
  }

  class WorkerScratch {
   public:
    WorkerScratch(const Partition& of, std::int64_t task) noexcept {
      const std::int64_t tasks = of.choice_.strategy.task_count;
      do {
        memory_ = of.task_memory(task++ % tasks);
      } while (taken().exchange(true, std::memory_order_acquire));
    }
    ~WorkerScratch() { taken().store(false, std::memory_order_release); }
    WorkerScratch(const WorkerScratch&) = delete;
    WorkerScratch& operator=(const WorkerScratch&) = delete;
    std::byte* memory() const noexcept { return memory_; }

   private:
    Taken& taken() const noexcept { return *std::launder(reinterpret_cast<Taken*>(memory_)); }
    std::byte* memory_;
  };

  std::byte* task_memory(std::int64_t task) const {
    return work_.scratch + layout_.tasks_at + task * layout_.task_bytes;
  }
  std::span<std::int64_t> costs(std::int64_t count) const {
    return {reinterpret_cast<std::int64_t*>(work_.scratch + layout_.costs_at),
            static_cast<std::size_t>(count) + 1};
  }

  std::size_t block_of(std::int64_t position) const {
    const LoopWalk<3> walk(work_.geometry.loop, position);
    std::int64_t offset = 0;
    work_.resolver.resolve(walk.offset()[kIndex], 0, 1, &offset);
    return static_cast<std::size_t>(layout_.blocks.containing(offset + walk.offset()[kData]));
  }

  Range list(std::int64_t c, std::int64_t b) const { return layout_.lists.list(work_.scratch, c, b); }

  void prefetch_list(std::int64_t c, std::int64_t b) const {
    if (c >= layout_.lists.chunks()) return;
    const auto entries = layout_.lists.entries(work_.scratch, c, list(c, b));
    prefetch_to_l2(entries.first, entries.bytes);
  }

  // Prefetches rows of a block from L2 into L1. A copy of a block was just written and needs no prefetch.
  void prefetch_rows(const std::byte* target, std::span<const std::int64_t> offsets) const {
    for (const std::int64_t offset : offsets) __builtin_prefetch(target + offset * layout_.width, 1);
  }

  // Applies the updates of a block, and meanwhile prefetches the next block part by part.
  void apply_updates(std::int64_t b, std::byte* target, const RadixPartition::Memory& ahead,
                     std::byte* values) const {
    alignas(kCacheLineBytes) std::array<std::int64_t, PartitionLayout::kTaken> offsets;
    const std::int64_t chunks = layout_.lists.chunks();
    for (std::int64_t c = 0; c < chunks; ++c) {
      prefetch_list(c + kListPrefetchDistance, b);
      const Range part = part_of(ahead.bytes, chunks, c);
      prefetch_to_l2(ahead.first + part.begin, part.end - part.begin);
      const Range here = list(c, b);
      for (std::int64_t at = here.begin; at < here.end; at += PartitionLayout::kTaken) {
        const std::int64_t n = std::min(here.end - at, PartitionLayout::kTaken);
        layout_.lists.take_updates(work_.scratch, c, {at, at + n}, true, offsets.data(), values);
        if (!choice_.copies_data) prefetch_rows(target, {offsets.data(), static_cast<std::size_t>(n)});
        apply_rows(work_, target, values, offsets.data(), nullptr, n);
      }
    }
  }

  // Applies updates whose rows are not in buckets. All lists form one sequence, so that prefetching never stops.
  void apply_by_offset(Range buckets) const {
    RowsAhead rows(work_);
    for (std::int64_t bucket = buckets.begin; bucket < buckets.end; ++bucket) {
      for (std::int64_t c = 0; c < layout_.lists.chunks(); ++c) {
        const Range here = list(c, bucket);
        for (std::int64_t at = here.begin; at < here.end;) {
          const std::int64_t count = std::min(here.end - at, rows.capacity_left());
          layout_.lists.take_update_offsets(work_.scratch, c, {at, at + count}, rows.offsets(),
                                            rows.update_offsets());
          rows.add(count);
          at += count;
        }
      }
    }
    rows.finish();
  }

  const Work& work_;
  const Choice& choice_;
  const PartitionLayout layout_;
};

// Each task sorts about the same number of chunks. The number of tasks that apply updates is at most the number of
// blocks, and is smaller if one block has a large share of the updates. The data of a bucket are read into L2
// once, roughly in order.
Cost estimate_cost(const CallCost& whole, const Choice& choice, const PartitionLayout& layout) {
  const CallCost call = whole.per_task(whole.max_tasks);
  const double block = choice.carries ? static_cast<double>(layout.block_bytes()) : kMinOwnedBytes;
  const double most = std::max(std::min(block / call.reached_bytes, 1.0), call.hottest_share);
  // One task would do all the work: see run_partition.
  if (most > 1 - 1.0 / kSamplesPerBucket && !choice.copies_data)
    return Cost{whole.serial_walk_ns(), whole.serial_walk_ns()} + call.start_threads(1);
  const double owners = 1 / most;
  const double among = std::min({call.max_tasks, owners, call.positions});
  double sort = call.bucket_sort_ns(choice.carries ? call.row_bytes : 0);
  double apply = call.positions * call.move_row_ns(call.row_bytes);
  if (choice.carries) {
    sort += call.read_updates_ns();
    apply += call.positions * call.fetch_row_ns(call.row_bytes, std::min(call.reached_bytes, block));
  } else {
    const double bucket = std::min(call.next_access_bytes, static_cast<double>(machine().l2_bytes));
    apply += call.positions * (call.fetch_row_ns(call.row_bytes, bucket) + call.move_row_ns(call.element_bytes)) +
             call.read_updates_ns();
  }
  if (!choice.copies_data) apply += call.sequential_ns(choice.carries ? call.reached_bytes : call.touched_bytes);
  const Cost cost =
      CallCost::divide(sort, call.max_tasks) + CallCost::divide(apply, among) + call.start_threads(2);
  if (!choice.copies_data) return cost;
  return cost + CallCost::divide(call.streamed_data_copy_ns(), call.bandwidth_limited_tasks());
}

}  // namespace

Verdict consider_partition(const ChooseInput& input, const CallCost& call) {
  const Geometry& geometry = input.geometry;
  if (!input.is_scatter) return Verdict::never("only a scatter has updates to sort");
  if (is_packed(geometry.dtype)) return Verdict::never("elements share bytes");
  Choice choice{{StrategyKind::kPartition, input.task_count, {}}, kAllPositions};
  choice.owned = reached_offsets(geometry, input.facts);
  const Range whole{0, input.copied};
  choice.copies_data = input.copied > 0 && carried_by(geometry, whole) == Payload::kUpdate &&
                       geometry.row <= std::int64_t{1} << offset_unit(geometry);
  choice.non_temporal = choice.copies_data;
  if (choice.copies_data) choice.owned = whole;
  const std::int64_t reached = choice.owned.end - choice.owned.begin;
  if ((reached - 1) >> offset_unit(geometry) > std::int64_t{UINT32_MAX}) {
    return Verdict::never("offsets have more than 32 bits");
  }
  if (geometry.loop.count() > kMaxInScratch) return Verdict::never("there are too many updates to sort");
  const PartitionLayout layout(geometry, choice, input.drops);
  choice.scratch_bytes = layout.bytes;
  choice.carries = layout.carries == Payload::kUpdate;
  return {choice, estimate_cost(call, choice, layout), "updates are sorted by blocks of the output"};
}

void run_partition(const Work& work, const Choice& choice, Executor& executor) {
  const Partition partition(work, choice);
  const RadixPartition& lists = partition.layout().lists;
  // If one task would do all the work, updates are applied unsorted. If data are copied, updates are always
  // sorted, since sorting may have to check index values before the first block is written.
  if (!partition.assign_buckets() && !choice.copies_data) return run_all(work);
  parallel_for(executor, lists.chunks(), [&](std::int64_t c) { partition.sort_chunk(c, c); });
  if (work.resolver.any_out_of_bounds()) return;  // nothing has been written
  partition.count_costs();
  const std::int64_t pieces = std::min(usual_bucket_count(choice.strategy.task_count), lists.bucket_count());
  parallel_for(executor, pieces, [&](std::int64_t i) { partition.apply(i, partition.choose_share(i, pieces)); });
}

}  // namespace strew
