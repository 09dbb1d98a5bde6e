// A walk over positions that fills blocks of offsets for a kernel.
#include "engine/tasks.h"

#include <algorithm>
#include <array>

#include "core/arithmetic.h"
#include "core/loop_nest.h"
#include "core/machine.h"
#include "core/prefetch.h"
#include "engine/fold.h"
#include "engine/offsets.h"
#include "engine/stream_sink.h"

namespace strew {
namespace {

// Asked for between two calls of a kernel: few enough that prefetches go out evenly, enough to make a call cheap.
// Rows on several lines, to 16 lines in 5 rows: 1 Mi of 128 bytes that begin behind a line, added on one
// thread, 28.3 to 21.0 ms; 512 Ki of 256 bytes, gathered, 18.7 to 15.4.
constexpr std::int64_t kStep = 16;
constexpr std::int64_t kStepRows = 24;
constexpr std::int64_t kStepLines = 64;
constexpr std::int64_t kMostStep = OffsetBlock::kRun;  // without looking ahead
// Of small parts that are asked for at once, and positions in them: more would be asked for in too large a burst
// (16 Mi of 32 Mi floats along the last axis 33 to 22 ms on one thread, 18 to 14 on two).
constexpr std::int64_t kSweptBytes = 4096;
constexpr std::int64_t kSweptPositions = OffsetBlock::kRun / 2;

// One task: its part of the geometry and where that begins.
struct Task {
  const Work& work;
  const Geometry& geometry;
  Range positions;

  void run() const {
    if (positions.begin >= positions.end) return;
    auto* to = target();
    const auto* from = source();
    if (!work.streams) {
      const std::int64_t row_bytes = geometry.row * width();
      // Where positions are in order their addresses follow from their number.
      const bool in_turn = !work.drops && !is_packed(geometry.dtype) && in_order(geometry);
      if (in_turn) advance(to, from, positions.begin * row_bytes);
      const auto apply = [&](const std::int64_t* data, const std::int64_t* position, std::int64_t count) {
        apply_rows(work, to, from, work.is_scatter ? data : position, work.is_scatter ? position : data, count);
        if (in_turn) advance(to, from, count * row_bytes);
      };
      OffsetBlock::List position;
      return walk_steps(kMostStep, in_turn ? nullptr : position.data(), apply);
    }
    run_streamed(to, from);
  }

 private:
  // Rows follow each other in the output: see Choice::streams. In a frame of its own, as the sink is large.
  [[gnu::noinline]] void run_streamed(std::byte* to, const std::byte* from) const {
    const std::int64_t bytes = width();
    const std::int64_t row_bytes = geometry.row * bytes;
    StreamSink sink(to + positions.begin * row_bytes);
    const bool whole_lines = row_bytes > kLineBytes && row_bytes % kLineBytes == 0 &&
                             reinterpret_cast<std::uintptr_t>(to) % kLineBytes == 0;
    if (whole_lines || row_bytes > StreamSink::kWideRow) {
      walk_steps(kMostStep, nullptr, [&](const std::int64_t* data, const std::int64_t*, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) sink.pass(from + data[i] * bytes, row_bytes);
      });
    } else {
      const std::int64_t step = std::min(StreamSink::kWideRow / row_bytes, kMostStep);
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

  // Asks for as much of the next parts of data as was walked over of these.
  void sweep_next(const std::byte* part, std::int64_t part_bytes, std::int64_t run,
                  std::int64_t walked) const noexcept {
    const std::size_t inner = geometry.loop.at(geometry.loop.rank - 1);
    const std::int64_t extent = geometry.loop.extent[inner];
    const std::int64_t between = geometry.loop.stride[inner - 1][kData] * width();
    const std::int64_t parts = walked / extent;
    if (parts > 1) {
      for (std::int64_t i = parts; i < 2 * parts; ++i) {
        prefetch_bytes(part + i * between, part_bytes);
      }
      return;
    }
    const std::byte* next = part + between;
    const std::int64_t begin = (extent - run) * part_bytes / extent;
    const std::int64_t end = (extent - run + walked) * part_bytes / extent;
    if (end > begin) prefetch_bytes(next + begin, end - begin);
  }

  // Moves the side that goes along with the positions.
  void advance(std::byte*& to, const std::byte*& from, std::int64_t bytes) const noexcept {
    if (work.is_scatter) {
      from += bytes;
    } else {
      to += bytes;
    }
  }

  // Calls `apply(data_offsets, position_offsets, count)` for all positions in order, `most_step` at a time at
  // most, and asks for memory ahead of its use. `position`: an OffsetBlock::List, or nullptr. In a frame of its
  // own: with those of its callers it would be too large.
  template <class Apply>
  [[gnu::noinline]] void walk_steps(std::int64_t most_step, std::int64_t* position, const Apply& apply) const {
    const std::int64_t bytes = width();
    const std::byte* table = work.is_scatter ? target() : source();
    const auto [ahead, ahead_bytes, sweep, asks_indices] = work.prefetch;
    // Elements that no line parts are on one line each; a row that begins behind a line is on one more.
    const bool one_line = kLineBytes % ahead_bytes == 0 && behind_line(table) % ahead_bytes == 0;
    const std::int64_t lines = one_line ? 1 : div_up(ahead_bytes + behind_line(table), kLineBytes);
    const std::int64_t asked = lines == 1 ? kStep : std::clamp<std::int64_t>(kStepLines / lines, 1, kStepRows);
    const std::int64_t step = std::min(most_step, ahead == 0 ? kMostStep : asked);
    const std::int64_t parts =
        sweep == 0 ? OffsetBlock::kRun : std::max<std::int64_t>(kSweptBytes / (sweep * bytes), 1);
    const std::int64_t most = sweep == 0 ? OffsetBlock::kRun : kSweptPositions;
    OffsetBlock::List data;
    OffsetBlock block({work.is_scatter ? source() : target(), bytes}, data.data(), position, asks_indices,
                      work.drops);
    LoopWalk<3> walk(geometry.loop, positions.begin);
    std::int64_t seen = 0;  // positions at the front of the block whose addresses were prefetched
    for (std::int64_t left = positions.end - positions.begin; left > 0 || block.count() > 0;) {
      while (left > 0 && block.count() < most + ahead && block.has_room(most)) {
        const std::int64_t run = walk.run();
        const std::int64_t here = walk.offset()[kData];
        const std::int64_t walked = block.append(geometry, work.resolver, walk, std::min(left, most), parts);
        if (sweep != 0) sweep_next(table + here * bytes, sweep * bytes, run, walked);
        left -= walked;
      }
      const std::int64_t ready = left > 0 ? block.count() - ahead : block.count();
      for (std::int64_t i = 0; i < ready; i += step) {
        const std::int64_t count = std::min(step, ready - i);
        const std::int64_t until = ahead == 0 ? 0 : std::min(i + count + ahead, block.count());
        if (one_line) {
          for (; seen < until; ++seen) __builtin_prefetch(table + block.data()[seen] * bytes, 0, 2);
        }
        for (; seen < until; ++seen) prefetch_bytes_level2(table + block.data()[seen] * bytes, ahead_bytes);
        apply(block.data() + i, block.position(i), count);
      }
      seen = std::max<std::int64_t>(seen - ready, 0);
      block.drop(ready);
    }
  }
};

// A copy of the geometry with one axis of the loop, or the row, cut down to a part.
Geometry part_of_geometry(const Geometry& whole, std::int64_t axis, Range part) {
  Geometry geometry = whole;
  if (axis == Choice::kRow) {
    geometry.row = part.end - part.begin;
  } else {
    geometry.loop.extent[geometry.loop.at(axis)] = part.end - part.begin;
  }
  return geometry;
}

}  // namespace

void apply_rows(const Work& work, void* target, const void* source, const std::int64_t* target_offset,
                const std::int64_t* source_offset, std::int64_t count) {
  if (work.fold != nullptr) return work.fold->apply(target, source, target_offset, source_offset, count);
  work.kernel(target, source, target_offset, source_offset, count, work.geometry.row);
}

void run_positions(const Work& work, Range positions) { Task{work, work.geometry, positions}.run(); }

void run_all(const Work& work) {
  if (work.tile == 0) return run_positions(work, {0, work.geometry.loop.count()});
  Work tile = work;
  tile.tile = 0;
  const std::int64_t inner = work.geometry.loop.rank - 1;
  const std::int64_t extent = work.geometry.loop.extent[work.geometry.loop.at(inner)];
  for (std::int64_t begin = 0; begin < extent; begin += work.tile) {
    run_part(tile, inner, {begin, std::min(begin + work.tile, extent)}, 0);
  }
}

void run_part(const Work& work, std::int64_t axis, Range part, std::int64_t origin) {
  if (part.begin >= part.end) return;
  const Geometry own = part_of_geometry(work.geometry, axis, part);
  LoopNest<3>::Offsets base{part.begin, part.begin, 0};
  if (axis != Choice::kRow) {
    const auto& stride = own.loop.stride[own.loop.at(axis)];
    base = {(part.begin - origin) * stride[kData], part.begin * stride[kPosition], part.begin * stride[kIndex]};
  }
  const IndexResolver resolver = work.resolver.starting_at(base[kIndex]);
  const std::int64_t width = bit_width(own.dtype) / 8;
  run_all({own, resolver, work.kernel, work.is_scatter,
           static_cast<std::byte*>(work.target) + base[work.is_scatter ? kData : kPosition] * width,
           static_cast<const std::byte*>(work.source) + base[work.is_scatter ? kPosition : kData] * width,
           work.prefetch, work.streams, work.tile, nullptr, nullptr, 0, work.drops, work.fold});
}

}  // namespace strew
