// Packing columns, using them, and unpacking them.
#include "engine/pack_columns.h"

#include <algorithm>
#include <array>

#include "core/arithmetic.h"
#include "core/machine.h"
#include "core/parallel.h"
#include "core/scratch.h"
#include "engine/column_walk.h"
#include "engine/columns.h"
#include "engine/regime.h"
#include "engine/thresholds.h"
#include "kernel/pieces.h"
#include "kernel/stream.h"
#include "kernel/take.h"

namespace strew {
namespace {

constexpr std::int64_t kWidest = 16;      // bytes of an element
constexpr std::int64_t kStep = 32;        // elements between two looks ahead
constexpr std::int64_t kRowsAtOnce = 64;  // rows of data that are dealt to tables while they are in the cache

bool is_lines(std::int64_t bytes) noexcept { return bytes % kLineBytes == 0; }

std::int64_t length(Range range) noexcept { return range.end - range.begin; }

// The work on one matrix.
class Matrix {
 public:
  Matrix(const Work& work, const Choice& choice, const Columns& columns, const LoopNest<3>::Offsets& at,
         Executor& executor)
      : work_(work),
        columns_(columns),
        executor_(executor),
        tasks_(choice.strategy.task_count),
        table_columns_(choice.group),
        group_columns_(choice.group * choice.tables),
        table_bytes_(whole_lines(columns.rows * choice.group * columns.width)),
        resolver_(work.resolver.starting_at(at[kIndex])),
        streams_(choice.streams) {
    const std::int64_t data_at = at[kData] * columns.width;
    const std::int64_t position_at = at[kPosition] * columns.width;
    to_ = static_cast<std::byte*>(work.target) + (work.is_scatter ? data_at : position_at);
    from_ = static_cast<const std::byte*>(work.source) + (work.is_scatter ? position_at : data_at);
    data_ = !work.is_scatter ? from_ : to_;
    if (work.copied != nullptr) data_ = static_cast<const std::byte*>(work.copied) + data_at;
    to_stride_ = work.is_scatter ? columns.data_stride : columns.position_stride;
    lines_ = is_lines(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to_))) && is_lines(to_stride_);
  }

  void gather() const {
    for_groups([this](Range group) {
      for (std::int64_t t = 0; t < table_count(group); ++t) {
        in_parallel(columns_.rows, [&](Range rows) {
          pack({group.begin + t * table_columns_, group.end}, 1, rows);
        });
        in_parallel(columns_.positions, [&](Range rows) { gather_rows(group, t, rows); });
      }
    });
  }

  void scatter() const {
    for_groups([this](Range group) {
      const std::int64_t tables = table_count(group);
      in_parallel(columns_.rows, [&](Range rows) { pack(group, tables, rows); });
      parallel_for(tasks_ == 1 ? serial_executor() : executor_, tables,
                   [&](std::int64_t t) { fold(table_range(group, t), table(t)); });
      in_parallel(columns_.rows, [&](Range rows) { unpack(group, rows); });
    });
  }

 private:
  template <class Body>
  void for_groups(const Body& body) const {
    for (std::int64_t begin = 0; begin < columns_.count; begin += group_columns_) {
      body(Range{begin, std::min(begin + group_columns_, columns_.count)});
    }
  }

  template <class Body>
  void in_parallel(std::int64_t rows, const Body& body) const {
    parallel_for(executor_, tasks_, [&](std::int64_t i) {
      const Range part = part_of(rows, tasks_, i);
      if (part.begin < part.end) body(part);
    });
  }

  std::int64_t table_count(Range group) const noexcept { return div_up(length(group), table_columns_); }
  Range table_range(Range group, std::int64_t t) const noexcept {
    const std::int64_t begin = group.begin + t * table_columns_;
    return {begin, std::min(begin + table_columns_, group.end)};
  }
  std::byte* table(std::int64_t t) const noexcept { return work_.scratch + t * table_bytes_; }
  // Results of a gather from the tables before the last of a group, which completes the lines of the output.
  std::byte* staged(std::int64_t t) const noexcept {
    return work_.scratch + table_bytes_ + t * whole_lines(columns_.positions * table_columns_ * columns_.width);
  }

  // Fills the first tables from columns that begin at `group.begin`.
  void pack(Range group, std::int64_t tables, Range rows) const {
    for (std::int64_t row = rows.begin; row < rows.end; row += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, rows.end - row);
      for (std::int64_t t = 0; t < tables; ++t) {
        const Range own = table_range(group, t);
        const std::int64_t bytes = length(own) * columns_.width;
        const std::byte* from = data_ + row * columns_.data_stride + own.begin * columns_.width;
        copy_pieces(table(t) + row * bytes, bytes, from, columns_.data_stride, bytes, count);
      }
    }
  }

  void unpack(Range group, Range rows) const {
    const std::int64_t tables = table_count(group);
    const std::int64_t group_bytes = length(group) * columns_.width;
    alignas(kLineBytes) std::array<std::byte, kTileElements * kLineBytes> lines;
    const std::int64_t most = std::max<std::int64_t>(static_cast<std::int64_t>(lines.size()) / group_bytes, 1);
    for (std::int64_t row = rows.begin; row < rows.end; row += most) {
      const std::int64_t count = std::min(most, rows.end - row);
      if (tables == 1 || is_lines(table_columns_ * columns_.width) ||
          group_bytes > static_cast<std::int64_t>(lines.size())) {
        for (std::int64_t t = 0; t < tables; ++t) {
          const Range own = table_range(group, t);
          write(own, row, count, table(t) + row * length(own) * columns_.width);
        }
        continue;
      }
      for (std::int64_t t = 0; t < tables; ++t) {
        const std::int64_t bytes = length(table_range(group, t)) * columns_.width;
        copy_pieces(lines.data() + t * table_columns_ * columns_.width, group_bytes, table(t) + row * bytes, bytes,
                    bytes, count);
      }
      write(group, row, count, lines.data());
    }
    stream_fence();
  }

  // Writes rows of some columns of the output, which lie next to each other.
  void write(Range own, std::int64_t row, std::int64_t count, const std::byte* from) const {
    const std::int64_t bytes = length(own) * columns_.width;
    std::byte* to = to_ + row * to_stride_ + own.begin * columns_.width;
    if (streams_ && bytes == to_stride_) {
      stream_copy()(to, from, bytes * count);
    } else if (streams_ && lines_ && is_lines(bytes) && is_lines(own.begin * columns_.width)) {
      stream_pieces()(to, to_stride_, from, bytes, bytes, count);
    } else {
      copy_pieces(to, to_stride_, from, bytes, bytes, count);
    }
  }

  void gather_rows(Range group, std::int64_t t, Range rows) const {
    const Range own = table_range(group, t);
    const std::int64_t piece = table_columns_ * columns_.width;
    const Take take_elements = take(columns_.width);
    alignas(kLineBytes) std::array<std::byte, kTileElements * kWidest> elements;
    walk_columns(resolver_.starting_at(own.begin), columns_.index_stride, rows, length(own),
                 [&](const ColumnTile& tile) {
                   take_elements(elements.data(), table(0), tile.offsets, tile.count, tile.next, tile.next_count);
                   if (own.end < group.end) {
                     stream_copy()(staged(t) + tile.row * piece, elements.data(), tile.rows * piece);
                   } else if (t == 0) {
                     write(own, tile.row, tile.rows, elements.data());
                   } else {
                     write_with_staged(group, own, tile, elements.data());
                   }
                 });
    stream_fence();
  }

  // The last elements of the rows of a group, and before them what was staged.
  void write_with_staged(Range group, Range own, const ColumnTile& tile, const std::byte* elements) const {
    const std::int64_t piece = table_columns_ * columns_.width;
    const std::int64_t group_bytes = length(group) * columns_.width;
    const std::int64_t before = own.begin - group.begin;
    alignas(kLineBytes) std::array<std::byte, kTileElements * kLineBytes> lines;
    for (std::int64_t s = 0; s * table_columns_ < before; ++s) {
      copy_pieces(lines.data() + s * piece, group_bytes, staged(s) + tile.row * piece, piece, piece, tile.rows);
    }
    const std::int64_t bytes = length(own) * columns_.width;
    copy_pieces(lines.data() + before * columns_.width, group_bytes, elements, bytes, bytes, tile.rows);
    write(group, tile.row, tile.rows, lines.data());
  }

  void fold(Range own, std::byte* memory) const {
    const std::int64_t width = columns_.width;
    const std::int64_t bytes = length(own) * width;
    const std::byte* first = from_ + own.begin * width;
    alignas(kLineBytes) std::array<std::byte, kTileElements * kWidest> updates;
    walk_columns(resolver_.starting_at(own.begin), columns_.index_stride, {0, columns_.positions}, length(own),
                 [&](const ColumnTile& tile) {
                   const std::int64_t stride = columns_.position_stride;
                   copy_pieces(updates.data(), bytes, first + tile.row * stride, stride, bytes, tile.rows);
                   for (std::int64_t i = 0; i < tile.count; i += kStep) {
                     ask_for(memory, tile, i);
                     work_.kernel(memory, updates.data() + i * width, tile.offsets + i, nullptr,
                                  std::min(kStep, tile.count - i), 1);
                   }
                 });
  }

  // Asks for some of the next elements.
  void ask_for(const std::byte* memory, const ColumnTile& tile, std::int64_t begin) const noexcept {
    const std::int64_t end = std::min(begin + kStep, tile.next_count);
#pragma GCC unroll 16
    for (std::int64_t i = begin; i < end; ++i) __builtin_prefetch(memory + tile.next[i] * columns_.width, 1);
  }

  const Work& work_;
  const Columns& columns_;
  Executor& executor_;
  std::int64_t tasks_;
  std::int64_t table_columns_;
  std::int64_t group_columns_;
  std::int64_t table_bytes_;
  IndexResolver resolver_;
  bool streams_;
  std::byte* to_;
  const std::byte* from_;  // what a gather takes elements from; updates
  const std::byte* data_;  // what tables are filled from
  std::int64_t to_stride_;
  bool lines_;  // the rows of the output begin at lines
};

// As many columns as fit the cache. Where rows begin at lines, a group of tables has whole lines, so that the
// output is written line by line; else the columns are dealt evenly.
void choose_tables(const ChooseInput& input, const Columns& columns, bool lines, Choice& choice) noexcept {
  const std::int64_t line = kLineBytes / columns.width;
  const std::int64_t fitting = packed_table_bytes() / columns.width / columns.rows;
  const std::int64_t most = std::clamp(fitting, std::int64_t{1}, std::min(columns.count, kTileElements));
  if (!lines) {
    const std::int64_t parts = div_up(columns.count, most);
    choice.group = div_up(columns.count, parts);
  } else if (most >= line) {
    choice.group = most / line * line;
  } else {
    choice.group = line;
    while (choice.group > most) choice.group /= 2;
    choice.tables = line / choice.group;
  }
  if (!input.is_scatter) return;
  // Each task folds into a table of its own.
  const std::int64_t rounded = div_up(std::max(choice.tables, input.task_count), choice.tables) * choice.tables;
  choice.tables = std::min(rounded, div_up(columns.count, choice.group));
}

}  // namespace

Verdict consider_pack_columns(const ChooseInput& input) {
  const Geometry& geometry = input.geometry;
  if (!moves_bytes(geometry)) return Verdict::never("elements are not whole bytes");
  const auto columns = columns_of(geometry);
  if (!columns) return Verdict::never("index values do not move elements within columns of a matrix");
  if (columns->rows > INT32_MAX || columns->positions > kMostInScratch) {
    return Verdict::never("a column has too many elements");
  }
  const std::int64_t width = columns->width;
  Choice choice{{StrategyKind::kPackColumns, input.task_count, {}}, columns->rows_axis};
  const std::int64_t stride = input.is_scatter ? columns->data_stride : columns->position_stride;
  choose_tables(input, *columns, is_lines(stride), choice);
  const std::int64_t tables = input.is_scatter ? choice.tables : 1;
  choice.scratch_bytes = tables * whole_lines(columns->rows * choice.group * width);
  if (!input.is_scatter) {
    choice.scratch_bytes += (choice.tables - 1) * whole_lines(columns->positions * choice.group * width);
  }
  const std::int64_t output_rows = input.is_scatter ? columns->rows : columns->positions;
  choice.streams = output_rows * columns->count * width >= stream_from_bytes();
  choice.copies_data =
      input.copied != 0 && columns->matrices.count() * columns->rows * columns->count == input.copied;

  if (columns->rows < pack_from_bytes() / width / columns->count)
    return {choice, false, "all of data fits the cache"};
  if (columns->rows > packed_table_bytes() / kNarrowestPiece) return {choice, false, "no columns fit the cache"};
  if (columns->positions < columns->rows / kRowsForEachPosition) {
    return {choice, false, "few elements are used: to pack all of them takes longer"};
  }
  return {choice, true, "some columns at a time fit the cache"};
}

void run_pack_columns(const Work& work, const Choice& choice, Executor& executor) {
  const Columns columns = columns_of(work.geometry).value();
  const std::int64_t count = columns.matrices.count();
  LoopWalk<3> walk(columns.matrices, 0);
  for (std::int64_t i = 0; i < count; ++i, walk.advance(1)) {
    const Matrix matrix(work, choice, columns, walk.offset(), executor);
    if (work.is_scatter) {
      matrix.scatter();
    } else {
      matrix.gather();
    }
  }
}

}  // namespace strew
