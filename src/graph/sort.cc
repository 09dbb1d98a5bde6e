// Sorts edges by key, stably: a radix partition into blocks of keys, then a counting sort within each block.
#include <algorithm>
#include <new>
#include <vector>

#include "core/fence.h"
#include "core/scratch.h"
#include "core/size.h"
#include "graph/edge_lists.h"
#include "kernel/edge/edge_kernels.h"

namespace strew {
namespace {

constexpr std::int64_t kMaxBlocks = 512;  // the cache lines that a task writes, one per block, stay in L1 or L2

template <class Index>
struct KeyedEdge {
  Index key;
  Index other;
  Index edge;
};

// Prefetch distance in entries. A cache line holds fewer entries, so a line is prefetched before it is written.
constexpr std::int64_t kEntriesAhead = 8;

// Returns log2 of the number of keys in a block.
int choose_shift(std::int64_t key_count) noexcept {
  int shift = 0;
  while (((key_count - 1) >> shift) >= kMaxBlocks) ++shift;
  return shift;
}

// The first and last key in one task's part of the edges, and whether keys are sorted and none is negative.
template <class Index>
struct alignas(kCacheLineBytes) Seen {
  Index first = 0;
  Index last = 0;
  bool in_order = true;
  bool all = true;
};

template <class Index>
class Sorter {
 public:
  using Entry = KeyedEdge<Index>;
  static constexpr bool kWide = sizeof(Index) == 8;

  Sorter(std::span<const Index> keys, std::span<const Index> others, std::int64_t key_count, Executor& executor)
      : keys_(keys),
        others_(others),
        key_count_(key_count),
        executor_(executor),
        parts_(std::clamp<std::int64_t>(count() >> 14, 1, usual_task_count(executor))),
        shift_(choose_shift(key_count)),
        blocks_(std::max<std::int64_t>(key_count > 0 ? ((key_count - 1) >> shift_) + 1 : 1, 1)),
        next_(static_cast<std::size_t>(parts_ * blocks_)),
        block_start_(static_cast<std::size_t>(blocks_ + 1)) {}

  SortedEdges sort() {
    SortedEdges sorted;
    sorted.keys = key_count_;
    sorted.start = IndexBuffer(key_count_ + 1, kWide);
    sorted.in_order = count_blocks();
    sorted.count = sorted.in_order ? count() : find_starts();
    sorted.other = IndexBuffer(sorted.count + kEdgePadding, kWide);
    sorted.other.pad(sorted.count);
    if (sorted.in_order) {
      keep_order(sorted);
    } else {
      sorted.edge = IndexBuffer(sorted.count, kWide);
      const Scratch entries((sorted.count + kEntriesAhead) * static_cast<std::int64_t>(sizeof(Entry)));
      move_to_blocks(reinterpret_cast<Entry*>(entries.data()));
      parallel_for(executor_, blocks_, [&](std::int64_t block) {
        sort_block(reinterpret_cast<const Entry*>(entries.data()), block, sorted);
      });
      sorted.start.template as<Index>()[key_count_] = static_cast<Index>(sorted.count);
    }
    return sorted;
  }

 private:
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(keys_.size()); }
  Index* next_of(std::int64_t part) noexcept { return next_.data() + part * blocks_; }

  // Counts the edges of each part in each block. Returns true if no key is negative and the keys never decrease.
  bool count_blocks() {
    std::vector<Seen<Index>> seen(static_cast<std::size_t>(parts_));
    parallel_for(executor_, parts_, [&](std::int64_t part) {
      const Range range = part_of(count(), parts_, part);
      if (range.begin == range.end) return;
      const Index* key = keys_.data();
      Index* counts = next_of(part);
      std::uint32_t falls = 0;
      std::uint32_t negative = 0;
      Index before = key[range.begin];
      for (std::int64_t e = range.begin; e < range.end; ++e) {
        falls |= static_cast<std::uint32_t>(key[e] < before);
        negative |= static_cast<std::uint32_t>(key[e] < 0);
        before = key[e];
        if (key[e] >= 0) ++counts[key[e] >> shift_];
      }
      seen[static_cast<std::size_t>(part)] = {key[range.begin], before, falls == 0, negative == 0};
    });
    if (count() == 0) return true;
    for (std::size_t part = 0; part < seen.size(); ++part) {
      if (!seen[part].in_order || !seen[part].all) return false;
      if (part > 0 && seen[part].first < seen[part - 1].last) return false;
    }
    return true;
  }

  // Replaces counts with write positions, which are prefix sums. Returns the number of edges that are not dropped.
  std::int64_t find_starts() {
    Index sum = 0;
    for (std::int64_t block = 0; block < blocks_; ++block) {
      block_start_[static_cast<std::size_t>(block)] = sum;
      for (std::int64_t part = 0; part < parts_; ++part) {
        const Index here = next_of(part)[block];
        next_of(part)[block] = sum;
        sum += here;
      }
    }
    block_start_.back() = sum;
    return sum;
  }

  void move_to_blocks(Entry* entries) {
    parallel_for(executor_, parts_, [&](std::int64_t part) {
      const Range range = part_of(count(), parts_, part);
      Index* next = next_of(part);
      for (std::int64_t e = range.begin; e < range.end; ++e) {
        const Index key = keys_[static_cast<std::size_t>(e)];
        if (key < 0) continue;
        Entry* entry = entries + next[key >> shift_]++;
        __builtin_prefetch(entry + kEntriesAhead, 1);
        *entry = {key, others_[static_cast<std::size_t>(e)], static_cast<Index>(e)};
      }
    });
  }

  void sort_block(const Entry* entries, std::int64_t block, SortedEdges& sorted) const {
    const std::int64_t first_key = block << shift_;
    const std::int64_t keys = std::min(std::int64_t{1} << shift_, key_count_ - first_key);
    const Index begin = block_start_[static_cast<std::size_t>(block)];
    const Index end = block_start_[static_cast<std::size_t>(block + 1)];
    Index* start = sorted.start.template as<Index>() + first_key;
    std::vector<Index> next(static_cast<std::size_t>(keys + 1));
    for (Index i = begin; i < end; ++i) ++next[static_cast<std::size_t>(entries[i].key - first_key)];
    starts_from_counts(std::span(next), begin);
    std::copy_n(next.data(), keys, start);
    for (Index i = begin; i < end; ++i) {
      const Index at = next[static_cast<std::size_t>(entries[i].key - first_key)]++;
      sorted.other.template as<Index>()[at] = entries[i].other;
      sorted.edge.template as<Index>()[at] = entries[i].edge;
    }
  }

  void keep_order(SortedEdges& sorted) {
    Index* start = sorted.start.template as<Index>();
    std::copy_n(others_.data(), count(), sorted.other.template as<Index>());
    std::int64_t key = 0;
    for (std::int64_t e = 0; e < count(); ++e) {
      for (; key <= keys_[static_cast<std::size_t>(e)]; ++key) start[key] = static_cast<Index>(e);
    }
    for (; key <= key_count_; ++key) start[key] = static_cast<Index>(count());
  }

  std::span<const Index> keys_;
  std::span<const Index> others_;
  std::int64_t key_count_;
  Executor& executor_;
  std::int64_t parts_;
  int shift_;
  std::int64_t blocks_;
  std::vector<Index> next_;  // [part][block]: counts, then write positions
  std::vector<Index> block_start_;
};

}  // namespace

IndexBuffer::IndexBuffer(std::int64_t count, bool wide) {
  auto memory = Tensor::uninitialized(wide ? DType::kInt64 : DType::kInt32, {count});
  if (!memory) throw std::bad_alloc();
  memory_ = *std::move(memory);
}

Result<SortedEdges> sort_edges(std::string_view argument, IndexBuffer& keys, IndexBuffer& others,
                               std::int64_t count, std::int64_t key_count, Executor& executor) {
  const auto size = static_cast<std::size_t>(count);
  const auto sort = [&]<class Index>(const Index* values) {
    return Sorter<Index>({values, size}, {others.as<Index>(), size}, key_count, executor).sort();
  };
  return with_memory([&]() -> Result<SortedEdges> { return keys.visit(sort); },
                     [&] {
                       return reject(ErrorCode::kOutOfMemory, argument, argument, " is ", key_count,
                                     "; cannot allocate lists for that many rows and ", count, " edges");
                     });
}

}  // namespace strew
