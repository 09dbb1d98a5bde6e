// Checks the index tensors of edges and converts them to lists of rows.
#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/view_check.h"
#include "graph/edge_lists.h"
#include "index/index_value.h"
#include "index/scan.h"

namespace strew {
namespace {

std::atomic<bool> wide_lists_forced = false;

constexpr std::int64_t kIndexChunk = 512;  // number of index values in a chunk, whose offsets stay in L1

// An index tensor, and the number and name of the rows that its values refer to.
struct EdgeIndex {
  std::string_view name;
  std::string of;  // "10 source rows"
  const TensorView& view;
  std::int64_t stride;
  std::int64_t size;
  const IndexRules& rules;

  IndexValues values(std::int64_t begin, std::int64_t count) const {
    return {static_cast<const std::byte*>(view.data()) + begin * stride * (bit_width(view.dtype()) / 8), stride, 0,
            count};
  }
};

tl::unexpected<Error> reject(const EdgeIndex& index, std::int64_t position) {
  const AnyIndex bits = load_any_index(index.view.dtype(), index.values(position, 1).first);
  const ValueView value = index_value_view(index.view.dtype(), bits.bits);
  const About about{.operand = index.name, .axis = 0, .value = value};
  const std::string what = concat(index.name, Shape{position}, " = ", value_text(value));
  if (index.size == 0) return fail_at({position}, about, what, ", but there are ", index.of);
  const bool from_end = index.rules.negative_indices == NegativeIndices::kFromEnd;
  return fail_at({position}, about, what, " is outside [", from_end ? -index.size : 0, ", ", index.size - 1,
                 "] for ", index.of);
}

// Writes the row for each value, or -1 if it is dropped. Returns the position of the first rejected value.
template <class Row>
std::optional<std::int64_t> read_part(const EdgeIndex& index, Range part, Row* rows) {
  std::array<std::int64_t, kIndexChunk> offsets;
  const OutOfBounds rule = index.rules.out_of_bounds;
  const auto resolve = resolve_by_rules(index.view.dtype(), rule);
  const IndexComponent axis = make_component(index.size, 1, index.rules.negative_indices);
  for (std::int64_t begin = part.begin; begin < part.end; begin += kIndexChunk) {
    const std::int64_t count = std::min(kIndexChunk, part.end - begin);
    if (!resolve(index.values(begin, count), {&axis, 1}, offsets.data())) {
      for (std::int64_t i = begin; i < begin + count; ++i) {
        if (!resolve(index.values(i, 1), {&axis, 1}, offsets.data())) return i;
      }
      return begin;  // another thread changed the values meanwhile
    }
    const auto row = [](std::int64_t offset) { return static_cast<Row>(offset); };
    const auto row_or_none = [](std::int64_t offset) { return offset < 0 ? Row{-1} : static_cast<Row>(offset); };
    if (rule == OutOfBounds::kDrop) {
      std::transform(offsets.data(), offsets.data() + count, rows + begin, row_or_none);
    } else {
      std::transform(offsets.data(), offsets.data() + count, rows + begin, row);
    }
  }
  return std::nullopt;
}

}  // namespace

Status read_index(std::string_view name, std::string of, const TensorView& view, std::int64_t size,
                  const IndexRules& rules, IndexBuffer& rows, std::int64_t count, Executor& executor) {
  const EdgeIndex index{name, std::move(of), view, strides_of(view)[0], size, rules};
  if (count == 0) return {};
  if (index.size == 0 && index.rules.out_of_bounds != OutOfBounds::kDrop) return reject(index, 0);
  const std::int64_t parts = std::clamp<std::int64_t>(count >> 14, 1, usual_task_count(executor));
  std::vector<std::optional<std::int64_t>> bad(static_cast<std::size_t>(parts));
  parallel_for(executor, parts, [&](std::int64_t part) {
    bad[static_cast<std::size_t>(part)] =
        rows.visit([&](auto* to) { return read_part(index, part_of(count, parts, part), to); });
  });
  for (const auto& one : bad) {
    if (one) return reject(index, *one);
  }
  return {};
}

Status check_index(std::string_view name, const TensorView& view, std::string_view length) {
  STREW_TRY(check_view("", name, view));
  if (!is_index_type(view.dtype())) {
    return reject(ErrorCode::kInvalidType, name, name, " is ", dtype_name(view.dtype()),
                  "; it must be of an integer type");
  }
  if (view.rank() != 1) {
    return reject(ErrorCode::kInvalidArgument, name, name, " has shape ", view.shape(), "; it must be [", length,
                  ']');
  }
  return {};
}

Status check_size(std::string_view name, std::int64_t size) {
  if (size >= 0) return {};
  return reject(ErrorCode::kInvalidArgument, name, name, " is ", size, "; it must not be negative");
}

bool needs_wide_lists(std::int64_t edges, std::int64_t source_size, std::int64_t target_size) noexcept {
  return std::max({edges, source_size, target_size}) > kMostNarrow || wide_lists_forced.load();
}

ScopedWideLists::ScopedWideLists() noexcept { wide_lists_forced = true; }
ScopedWideLists::~ScopedWideLists() { wide_lists_forced = false; }

Result<PairedEdges> read_edges(const TensorView& gather_index, const TensorView& scatter_index,
                               std::int64_t source_size, std::int64_t target_size, const IndexRules& rules,
                               Executor& executor) {
  STREW_TRY(check_index("gather_index", gather_index));
  STREW_TRY(check_index("scatter_index", scatter_index));
  STREW_TRY(check_size("source_size", source_size));
  STREW_TRY(check_size("target_size", target_size));
  const std::int64_t count = gather_index.shape()[0];
  if (scatter_index.shape()[0] != count) {
    return reject(ErrorCode::kInvalidArgument, "scatter_index", "scatter_index has shape ", scatter_index.shape(),
                  "; it must be that of gather_index, ", gather_index.shape());
  }
  if (rules.out_of_bounds == OutOfBounds::kFill) {
    return reject(ErrorCode::kInvalidArgument, "out_of_bounds",
                  "out_of_bounds is fill; it must be error, clip, wrap or drop");
  }
  const bool wide = needs_wide_lists(count, source_size, target_size);
  PairedEdges pairs{.sources = IndexBuffer(count + kEdgePadding, wide),
                    .targets = IndexBuffer(count + kEdgePadding, wide),
                    .count = count,
                    .source_size = source_size,
                    .target_size = target_size,
                    .all = rules.out_of_bounds != OutOfBounds::kDrop};
  pairs.sources.pad(count);
  pairs.targets.pad(count);
  STREW_TRY(read_index("gather_index", concat(source_size, " source rows"), gather_index, source_size, rules,
                       pairs.sources, count, executor));
  STREW_TRY(read_index("scatter_index", concat(target_size, " target rows"), scatter_index, target_size, rules,
                       pairs.targets, count, executor));
  if (!pairs.all) {
    pairs.targets.visit([&](auto* targets) {
      for (std::int64_t e = 0; e < count; ++e) {
        if (pairs.sources[e] < 0) targets[e] = -1;
      }
    });
  }
  return pairs;
}

}  // namespace strew
