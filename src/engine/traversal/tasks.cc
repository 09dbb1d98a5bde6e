// Walks over positions, fills blocks of offsets and calls a kernel on them.
#include "engine/traversal/tasks.h"

#include <algorithm>
#include <array>

#include "core/loop_nest.h"
#include "core/machine.h"
#include "core/prefetch.h"
#include "core/size.h"
#include "core/tuning.h"
#include "engine/reduce/fold.h"
#include "engine/traversal/offset_block.h"
#include "kernel/kernel.h"
#include "kernel/stream.h"

namespace strew {
namespace {

constexpr std::int64_t kMaxStep = OffsetBlock::kRun;  // positions that a kernel processes at a time

// The sizes of the steps of a walk that prefetches data. `width`: bytes of an element.
struct PrefetchSteps {
  PrefetchSteps(const PrefetchPlan& prefetch, const std::byte* data, std::int64_t width) noexcept
      // A misaligned row touches one more cache line.
      : one_line(kCacheLineBytes % prefetch.bytes == 0 && cache_line_offset(data) % prefetch.bytes == 0),
        step(OffsetBlock::kRun),
        most(OffsetBlock::kRun),
        runs(OffsetBlock::kRun) {
    if (prefetch.distance_positions > 0) {
      const std::int64_t lines = one_line ? 1 : div_up(prefetch.bytes + cache_line_offset(data), kCacheLineBytes);
      step = std::clamp<std::int64_t>(kPrefetchBurstBytes / (lines * kCacheLineBytes), 1, kPrefetchedRows);
    }
    if (prefetch.part > 0) {
      // Prefetches small parts together, but at most half a block at once: a whole block is too large a burst.
      most = OffsetBlock::kRun / 2;
      runs = std::max<std::int64_t>(kPrefetchBurstBytes / (prefetch.part * width), 1);
    }
  }

  bool one_line;      // the prefetched bytes of a position are in one cache line
  std::int64_t step;  // positions that a kernel processes between two rounds of prefetching
  std::int64_t most;  // maximum number of positions resolved at a time
  std::int64_t runs;  // maximum number of runs along the innermost axis resolved at a time
};

// Implements PrefetchPlan::part. The walk has passed `walked` positions; before that, `run` positions were left in
// the part at address `part`. Prefetches the same share of the next part as the walk has passed of this part. If
// the walk has passed several whole parts, prefetches equally many of the parts that follow.
void prefetch_next_parts(const Geometry& geometry, std::int64_t width, const std::byte* part,
                         std::int64_t part_bytes, std::int64_t run, std::int64_t walked) noexcept {
  const std::size_t inner = geometry.loop.at(geometry.loop.rank - 1);
  const std::int64_t extent = geometry.loop.extent[inner];
  const std::int64_t between = geometry.loop.stride[inner - 1][kData] * width;
  const std::int64_t parts = walked / extent;
  if (parts > 1) {
    for (std::int64_t i = parts; i < 2 * parts; ++i) prefetch_bytes(part + i * between, part_bytes);
    return;
  }
  const std::int64_t begin = (extent - run) * part_bytes / extent;
  const std::int64_t end = (extent - run + walked) * part_bytes / extent;
  if (end > begin) prefetch_bytes(part + between + begin, end - begin);
}

// One task: a range of the positions of a geometry.
struct Task {
  const Work& work;
  const Geometry& geometry;
  Range positions;

  void run() const {
    if (positions.begin >= positions.end) return;
    if (const ColumnsKernel kernel = columns_kernel_of_rows()) return run_columns(kernel);
    auto* to = target();
    const auto* from = source();
    if (!work.non_temporal) {
      const std::int64_t row_bytes = geometry.row * width();
      // Consecutive rows of the operand kPosition need no offsets.
      const bool in_turn = !work.drops && !is_packed(geometry.dtype) && in_order(geometry);
      if (in_turn) advance(to, from, positions.begin * row_bytes);
      const auto apply = [&](const std::int64_t* data, const std::int64_t* position, std::int64_t count) {
        apply_rows(work, to, from, work.is_scatter ? data : position, work.is_scatter ? position : data, count);
        if (in_turn) advance(to, from, count * row_bytes);
      };
      alignas(kCacheLineBytes) OffsetBlock::List position;
      return walk_steps(kMaxStep, in_turn ? nullptr : position.data(), apply);
    }
    run_streamed(to, from);
  }

 private:
  // The kernel of a gather that chooses the same elements from each short row; nullptr for other calls.
  ColumnsKernel columns_kernel_of_rows() const noexcept {
    const LoopNest<3>& loop = geometry.loop;
    if (work.is_scatter || loop.rank != 2 || geometry.row != 1 || !moves_bytes(geometry)) return nullptr;
    const bool same = loop.stride[0][kIndex] == 0 && loop.stride[1][kIndex] != 0 && loop.stride[1][kData] == 0;
    if (!same || loop.stride[1][kPosition] != 1 || work.kernel != copy_kernel(geometry.dtype)) return nullptr;
    // Elements of longer rows are too far apart for the hardware prefetcher, and the kernel prefetches nothing.
    const bool is_short = loop.stride[0][kData] * width() <= kMaxPrefetchedRowBytes / 2;
    if (loop.extent[1] > kMaxStep || !is_short) return nullptr;
    return columns_kernel(width(), loop.extent[1]);
  }

  // Gathers whole rows with the kernel. Not inlined, since small calls do not use it.
  [[gnu::noinline]] void run_columns(ColumnsKernel kernel) const {
    const std::int64_t columns = geometry.loop.extent[1];
    const Range rows{div_up(positions.begin, columns), positions.end / columns};
    const auto& [data, position, index] = geometry.loop.stride[0];
    if (rows.begin > rows.end) return run_elements(positions);
    run_elements({positions.begin, rows.begin * columns});
    std::array<std::int64_t, kMaxStep> chosen;
    work.resolver.resolve(0, geometry.loop.stride[1][kIndex], columns, chosen.data());
    kernel(target() + rows.begin * position * width(), source() + rows.begin * data * width(), chosen.data(),
           {rows.end - rows.begin, columns, position, data});
    run_elements({rows.end * columns, positions.end});
  }

  // Gathers the elements of partial rows one by one.
  void run_elements(Range part) const {
    std::int64_t data = 0;
    LoopWalk<3> walk(geometry.loop, part.begin);
    for (std::int64_t i = part.begin; i < part.end; ++i, walk.advance(1)) {
      work.resolver.resolve(walk.offset()[kIndex], 0, 1, &data);
      data += walk.offset()[kData];
      work.kernel(target(), source(), &walk.offset()[kPosition], &data, 1, 1);
    }
  }

  // Writes consecutive rows with non-temporal stores. Not inlined, since the sink enlarges the frame.
  [[gnu::noinline]] void run_streamed(std::byte* to, const std::byte* from) const {
    const std::int64_t bytes = width();
    const std::int64_t row_bytes = geometry.row * bytes;
    StreamSink sink(to + positions.begin * row_bytes);
    const bool whole_lines = row_bytes > kCacheLineBytes && row_bytes % kCacheLineBytes == 0 &&
                             reinterpret_cast<std::uintptr_t>(to) % kCacheLineBytes == 0;
    if (whole_lines || row_bytes > StreamSink::kWideRow) {
      walk_steps(kMaxStep, nullptr, [&](const std::int64_t* data, const std::int64_t*, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) sink.pass(from + data[i] * bytes, row_bytes);
      });
    } else {
      const std::int64_t step = std::min(StreamSink::kWideRow / row_bytes, kMaxStep);
      walk_steps(step, nullptr, [&](const std::int64_t* data, const std::int64_t*, std::int64_t count) {
        work.kernel(sink.reserve(count * row_bytes), from, nullptr, data, count, geometry.row);
        sink.commit(count * row_bytes);
      });
    }
    sink.finish();
  }

  std::int64_t width() const noexcept { return is_packed(geometry.dtype) ? 1 : bit_width(geometry.dtype) / 8; }
  std::byte* target() const noexcept { return static_cast<std::byte*>(work.target); }
  const std::byte* source() const noexcept { return static_cast<const std::byte*>(work.source); }

  // Advances the address of the operand kPosition.
  void advance(std::byte*& to, const std::byte*& from, std::int64_t bytes) const noexcept {
    if (work.is_scatter) {
      from += bytes;
    } else {
      to += bytes;
    }
  }

  // Calls `apply(data_offsets, position_offsets, count)` for all positions in order, at most `most_step` at a
  // time, and prefetches the data of later positions. `position`: an OffsetBlock::List or nullptr. Not inlined,
  // since the frame would be too large.
  template <class Apply>
  [[gnu::noinline]] void walk_steps(std::int64_t most_step, std::int64_t* position, const Apply& apply) const {
    const std::int64_t bytes = width();
    const std::byte* table = work.is_scatter ? target() : source();
    const PrefetchPlan& prefetch = work.prefetch;
    const std::int64_t ahead = prefetch.distance_positions;
    const PrefetchSteps steps(prefetch, table, bytes);
    const std::int64_t step = std::min(most_step, steps.step);
    alignas(kCacheLineBytes) OffsetBlock::List data;
    OffsetBlock block({work.is_scatter ? source() : target(), bytes}, data.data(), position, prefetch.indices,
                      work.drops);
    LoopWalk<3> walk(geometry.loop, positions.begin);
    std::int64_t seen = 0;  // positions at the front of the block that were prefetched
    for (std::int64_t left = positions.end - positions.begin; left > 0 || block.count() > 0;) {
      while (left > 0 && block.count() < steps.most + ahead && block.fits(steps.most)) {
        const std::int64_t run = walk.run();
        const std::int64_t here = walk.offset()[kData];
        const std::int64_t walked =
            block.append(geometry, work.resolver, walk, std::min(left, steps.most), steps.runs);
        if (prefetch.part != 0) {
          prefetch_next_parts(geometry, bytes, table + here * bytes, prefetch.part * bytes, run, walked);
        }
        left -= walked;
      }
      const std::int64_t ready = left > 0 ? block.count() - ahead : block.count();
      for (std::int64_t i = 0; i < ready; i += step) {
        const std::int64_t count = std::min(step, ready - i);
        const std::int64_t until = ahead == 0 ? 0 : std::min(i + count + ahead, block.count());
        if (steps.one_line) {
          for (; seen < until; ++seen) __builtin_prefetch(table + block.data()[seen] * bytes, 0, 2);
        }
        for (; seen < until; ++seen) prefetch_to_l2(table + block.data()[seen] * bytes, prefetch.bytes);
        apply(block.data() + i, block.position(i), count);
      }
      seen = std::max<std::int64_t>(seen - ready, 0);
      block.drop(ready);
    }
  }
};

// Returns the geometry with one axis of the loop, or the row, cut to a part.
Geometry part_of_geometry(const Geometry& whole, std::int64_t axis, Range part) {
  Geometry geometry = whole;
  if (axis == kRowAxis) {
    geometry.row = part.end - part.begin;
  } else {
    geometry.loop.extent[geometry.loop.at(axis)] = part.end - part.begin;
  }
  return geometry;
}

void apply_whole_rows(const Work& work, void* target, const void* source, const std::int64_t* target_offset,
                      const std::int64_t* source_offset, std::int64_t count) {
  if (work.fold != nullptr) return work.fold->apply(target, source, target_offset, source_offset, count);
  work.kernel(target, source, target_offset, source_offset, count, work.geometry.row);
}

// Writes each value to a whole row of the target. For a reduction, expands a few values at a time to rows in a
// buffer, and applies these rows. Not inlined, since the buffer enlarges the frame.
[[gnu::noinline]] void apply_repeated(const Work& work, void* target, const void* source,
                                      const std::int64_t* target_offset, const std::int64_t* source_offset,
                                      std::int64_t count) {
  const std::int64_t width = element_bytes(work.geometry);
  const std::int64_t row = work.geometry.row;
  const std::int64_t step = kRepeatedBytes / (row * width);
  const RepeatKernel repeat = repeat_kernel(width);
  if (work.fold == nullptr && work.kernel == copy_kernel(work.geometry.dtype))
    return repeat(target, source, target_offset, source_offset, count, row);
  alignas(kCacheLineBytes) std::array<std::byte, kRepeatedBytes> rows;
  for (std::int64_t i = 0; i < count; i += step) {
    const std::int64_t some = std::min(step, count - i);
    repeat(rows.data(), source, nullptr, source_offset + i, some, row);
    apply_whole_rows(work, target, rows.data(), target_offset + i, nullptr, some);
  }
}

}  // namespace

void apply_rows(const Work& work, void* target, const void* source, const std::int64_t* target_offset,
                const std::int64_t* source_offset, std::int64_t count) {
  if (work.geometry.repeats) return apply_repeated(work, target, source, target_offset, source_offset, count);
  apply_whole_rows(work, target, source, target_offset, source_offset, count);
}

// Not inlined, since a block of offsets takes most of a call's stack.
[[gnu::noinline]] void run_positions(const Work& work, Range positions) {
  Task{work, work.geometry, positions}.run();
}

void run_all(const Work& work) {
  if (work.tile_columns == 0) return run_positions(work, {0, work.geometry.loop.count()});
  Work tile = work;
  tile.tile_columns = 0;
  const std::int64_t inner = work.geometry.loop.rank - 1;
  const std::int64_t extent = work.geometry.loop.extent[work.geometry.loop.at(inner)];
  for (std::int64_t begin = 0; begin < extent; begin += work.tile_columns) {
    run_part(tile, inner, {begin, std::min(begin + work.tile_columns, extent)}, 0);
  }
}

void run_part(const Work& work, std::int64_t axis, Range part, std::int64_t origin) {
  if (part.begin >= part.end) return;
  const Geometry own = part_of_geometry(work.geometry, axis, part);
  LoopNest<3>::Offsets base{part.begin, part.begin, 0};
  if (own.repeats) base[work.is_scatter ? kPosition : kData] = 0;
  if (axis != kRowAxis) {
    const auto& stride = own.loop.stride[own.loop.at(axis)];
    base = {(part.begin - origin) * stride[kData], part.begin * stride[kPosition], part.begin * stride[kIndex]};
  }
  const IndexResolver resolver = work.resolver.starting_at(base[kIndex]);
  const std::int64_t width = bit_width(own.dtype) / 8;
  run_all(
      {.geometry = own,
       .resolver = resolver,
       .kernel = work.kernel,
       .is_scatter = work.is_scatter,
       .target = static_cast<std::byte*>(work.target) + base[work.is_scatter ? kData : kPosition] * width,
       .source = static_cast<const std::byte*>(work.source) + base[work.is_scatter ? kPosition : kData] * width,
       .prefetch = work.prefetch,
       .non_temporal = work.non_temporal,
       .tile_columns = work.tile_columns,
       .drops = work.drops,
       .fold = work.fold});
}

}  // namespace strew
