// Sorting updates into blocks. Chunks of updates are sorted one by one, in the second-level cache; then each task
// takes some blocks, and for each of them the updates of all chunks in turn, which is their order.
#include "engine/partition.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "core/arithmetic.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "engine/offsets.h"
#include "engine/regime.h"
#include "engine/thresholds.h"
#include "kernel/bucket.h"
#include "kernel/stream.h"

namespace strew {
namespace {

constexpr std::int64_t kTaken = 512;    // updates taken out of a block at once
constexpr std::int64_t kLookAhead = 2;  // chunks

// Sizes, and where everything lies in scratch memory.
struct Layout {
  Layout(const Geometry& geometry, const Choice& choice)
      : width(bit_width(geometry.dtype) / 8),
        shift(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(partition_block_bytes() / width))) - 1),
        chunk(partition_chunk()),
        count(geometry.loop.count()),
        chunks(div_up(count, chunk)),
        blocks(div_up(choice.owned.end - choice.owned.begin, std::int64_t{1} << shift)),
        ordered(in_order(geometry)) {
    starts_of_chunk = whole_lines((blocks + 1) * 4) / 4;
    entries_at = whole_lines(chunks * starts_of_chunk * 4);
    costs_at = entries_at + whole_lines(count * bucket_loops(width).entry_bytes);
    tasks_at = costs_at + whole_lines((blocks + 1) * 8);
    next_at = whole_lines(chunk * 4);
    values_at = next_at + whole_lines(blocks * 4);
    buffer_at = values_at + (ordered ? 0 : whole_lines(chunk * width));
    task_bytes = buffer_at + (choice.copies_data ? whole_lines(width << shift) : 0);
    bytes = tasks_at + choice.strategy.task_count * task_bytes;
  }

  std::int64_t width;
  int shift;
  std::int64_t chunk;
  std::int64_t count;
  std::int64_t chunks;
  std::int64_t blocks;
  bool ordered;                  // updates follow each other in memory
  std::int64_t starts_of_chunk;  // where each block begins in a chunk, and the end
  std::int64_t entries_at;
  std::int64_t costs_at;  // of all blocks before each
  std::int64_t tasks_at;  // of each task: offsets of a chunk, the next entry of each block, values, a block
  std::int64_t next_at;
  std::int64_t values_at;
  std::int64_t buffer_at;
  std::int64_t task_bytes;
  std::int64_t bytes;
};

class Partition {
 public:
  Partition(const Work& work, const Choice& choice)
      : work_(work), choice_(choice), layout_(work.geometry, choice), loops_(bucket_loops(layout_.width)) {}

  const Layout& layout() const noexcept { return layout_; }

  void sort_chunks(std::int64_t task, Range chunks) const {
    if (chunks.begin >= chunks.end) return;
    LoopWalk<3> walk(work_.geometry.loop, chunks.begin * layout_.chunk);
    for (std::int64_t c = chunks.begin; c < chunks.end; ++c) sort_chunk(c, walk, task_memory(task));
  }

  /// A block costs its copy and its updates. Called between sorting and applying.
  void count_costs() const {
    const std::span<std::int64_t> before = costs();
    const std::int64_t copy = (layout_.width << layout_.shift) / kCopiedPerUpdate;
    for (std::size_t b = 0; b < before.size(); ++b) before[b] = static_cast<std::int64_t>(b) * copy;
    for (std::int64_t c = 0; c < layout_.chunks; ++c) {
      for (std::size_t b = 0; b < before.size(); ++b) before[b] += starts(c)[b];
    }
  }

  /// The blocks of a task, so that all have about as much to do.
  Range share_of(std::int64_t task, std::int64_t tasks) const {
    const std::span<const std::int64_t> before = costs();
    const auto first = [&](std::int64_t i) -> std::int64_t {
      if (i == tasks) return layout_.blocks;
      return std::ranges::lower_bound(before, part_of(before.back(), tasks, i).begin) - before.begin();
    };
    return {first(task), first(task + 1)};
  }

  void apply_blocks(std::int64_t task, Range blocks) const {
    const std::int64_t block_bytes = layout_.width << layout_.shift;
    const std::int64_t all = (choice_.owned.end - choice_.owned.begin) * layout_.width;
    auto* to = static_cast<std::byte*>(work_.target) + choice_.owned.begin * layout_.width;
    const auto* from = choice_.copies_data ? static_cast<const std::byte*>(work_.copied) : to;
    std::byte* buffer = task_memory(task) + layout_.buffer_at;
    const auto size = [&](std::int64_t b) { return std::min(block_bytes, all - b * block_bytes); };
    for (std::int64_t b = blocks.begin; b < blocks.end; ++b) {
      std::byte* place = to + b * block_bytes;
      const std::byte* next = from + b * block_bytes + size(b);
      const Ahead ahead{next, b + 1 < blocks.end ? size(b + 1) : 0};
      if (choice_.copies_data) std::memcpy(buffer, next - size(b), static_cast<std::size_t>(size(b)));
      apply_block(b, choice_.copies_data ? buffer : place, ahead);
      if (choice_.copies_data) stream_copy()(place, buffer, size(b));
    }
    stream_fence();
  }

 private:
  // Memory that is needed next.
  struct Ahead {
    const std::byte* first;
    std::int64_t bytes;
  };

  std::byte* task_memory(std::int64_t task) const {
    return work_.scratch + layout_.tasks_at + task * layout_.task_bytes;
  }
  std::uint32_t* starts(std::int64_t chunk) const {
    return reinterpret_cast<std::uint32_t*>(work_.scratch) + chunk * layout_.starts_of_chunk;
  }
  std::span<std::int64_t> costs() const {
    return {reinterpret_cast<std::int64_t*>(work_.scratch + layout_.costs_at),
            static_cast<std::size_t>(layout_.blocks) + 1};
  }
  std::byte* entries(std::int64_t chunk) const {
    return work_.scratch + layout_.entries_at + chunk * layout_.chunk * loops_.entry_bytes;
  }

  void sort_chunk(std::int64_t c, LoopWalk<3>& walk, std::byte* memory) const {
    auto* offsets = reinterpret_cast<std::uint32_t*>(memory);
    auto* next = reinterpret_cast<std::uint32_t*>(memory + layout_.next_at);
    std::byte* own = memory + layout_.values_at;
    const std::int64_t count = std::min(layout_.chunk, layout_.count - c * layout_.chunk);
    const OffsetRange range{choice_.owned.begin,
                            static_cast<std::uint32_t>(choice_.owned.end - choice_.owned.begin)};
    std::fill_n(next, layout_.blocks, 0u);
    OffsetBlock block(!layout_.ordered, false);
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t n = block.append(work_.geometry, work_.resolver, walk, count - done, nullptr);
      count_buckets(block.data(), n, range, layout_.shift, offsets + done, next);
      if (!layout_.ordered) {
        copy_kernel(work_.geometry.dtype)(own + done * layout_.width, work_.source, nullptr, block.position(0), n,
                                          1);
      }
      block.drop(n);
      done += n;
    }
    std::uint32_t* start = starts(c);
    std::uint32_t sum = 0;
    for (std::int64_t b = 0; b < layout_.blocks; ++b) {
      start[b] = sum;
      sum += next[b];
      next[b] = start[b];
    }
    start[layout_.blocks] = sum;
    const auto* source = static_cast<const std::byte*>(work_.source) + c * layout_.chunk * layout_.width;
    loops_.fill(offsets, layout_.ordered ? source : own, count, layout_.shift, next, entries(c));
  }

  // The updates of a block in a chunk.
  Range segment(std::int64_t c, std::int64_t b) const { return {starts(c)[b], starts(c)[b + 1]}; }

  // While updates are applied, part by part, the block that comes next is asked for.
  void apply_block(std::int64_t b, std::byte* target, const Ahead& ahead) const {
    std::array<std::int64_t, kTaken> offsets;
    alignas(kLineBytes) std::array<std::byte, kTaken * 16> values;
    const std::int64_t width = loops_.entry_bytes;
    for (std::int64_t c = 0; c < layout_.chunks; ++c) {
      if (c + kLookAhead < layout_.chunks) {
        const Range later = segment(c + kLookAhead, b);
        prefetch(entries(c + kLookAhead) + later.begin * width, (later.end - later.begin) * width);
      }
      const Range part = part_of(ahead.bytes, layout_.chunks, c);
      prefetch(ahead.first + part.begin, part.end - part.begin);
      const Range here = segment(c, b);
      for (std::int64_t at = here.begin; at < here.end; at += kTaken) {
        const std::int64_t n = std::min(here.end - at, kTaken);
        loops_.take(entries(c) + at * width, n, layout_.shift, offsets.data(), values.data());
        work_.kernel(target, values.data(), offsets.data(), nullptr, n, 1);
      }
    }
  }

  static void prefetch(const std::byte* first, std::int64_t bytes) noexcept {
    for (std::int64_t at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(first + at, 0, 2);
  }

  const Work& work_;
  const Choice& choice_;
  const Layout layout_;
  const BucketLoops& loops_;
};

}  // namespace

Verdict consider_partition(const ChooseInput& input) {
  const Geometry& geometry = input.geometry;
  if (!input.is_scatter) return Verdict::never("only a scatter has updates to sort");
  if (!moves_bytes(geometry)) return Verdict::never("elements are not whole bytes");
  if (geometry.row != 1) return Verdict::never("updates are rows, not single elements");
  Choice choice{{StrategyKind::kPartition, input.task_count, {}}, Choice::kPositions};
  choice.owned = input.copied > 0 ? Range{0, input.copied} : reached_offsets(geometry, input.facts);
  const std::int64_t reached = choice.owned.end - choice.owned.begin;
  if (reached > std::int64_t{UINT32_MAX}) return Verdict::never("offsets have more than 32 bits");
  if (geometry.loop.count() > kMostInScratch) return Verdict::never("there are too many updates to sort");
  choice.copies_data = input.copied > 0;
  choice.streams = choice.copies_data;
  const Layout layout(geometry, choice);
  choice.scratch_bytes = layout.bytes;
  const auto no = [&](std::string_view reason) { return Verdict{choice, false, reason}; };
  if (input.task_count < kPartitionTasksFrom) return no("few threads reach single elements as fast");
  if (reached < partition_from_bytes() / layout.width) return no("the output fits the cache");
  if (layout.count < reached / kSpreadForEachUpdate) return no("few elements are updated");
  if (layout.blocks > kPartitionBlocks) return no("too many blocks");
  return {choice, true, "updates are sorted into blocks of the output"};
}

void run_partition(const Work& work, const Choice& choice, Executor& executor) {
  const Partition partition(work, choice);
  const std::int64_t tasks = choice.strategy.task_count;
  const std::int64_t chunks = partition.layout().chunks;
  parallel_for(executor, tasks, [&](std::int64_t i) { partition.sort_chunks(i, part_of(chunks, tasks, i)); });
  if (work.resolver.outside()) return;  // nothing has been written
  partition.count_costs();
  parallel_for(executor, tasks, [&](std::int64_t i) { partition.apply_blocks(i, partition.share_of(i, tasks)); });
}

}  // namespace strew
