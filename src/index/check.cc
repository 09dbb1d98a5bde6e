// Makes the IndexTarget of a plan, checks the range of index values, and makes the errors for rejected values.
#include "index/check.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/loop_nest.h"
#include "core/machine.h"
#include "core/parallel.h"
#include "core/view_check.h"
#include "index/index_value.h"
#include "index/scan.h"

namespace strew {

bool writes_out(const Plan& plan) noexcept {
  return plan.op() == OpKind::kTensorScatter && plan.has_indices() && plan.mode() == WriteMode::kCircular;
}

std::int64_t chosen_extent(const Plan& plan, std::int64_t axis) noexcept {
  const std::int64_t extent = plan.data().shape[axis];
  if (plan.op() != OpKind::kTensorScatter || writes_out(plan)) return extent;
  return extent - plan.position_shape()[axis] + 1;
}

IndexTarget make_target(const Plan& plan) {
  const Shape& data = plan.data().shape;
  const Shape& indexed = plan.indexed_axes();
  const std::span axes(indexed.begin(), indexed.end());  // libc++ 13 does not convert a Shape
  if (plan.op() == OpKind::kTensorScatter) {
    const IndexRules rules{OutOfBounds::kError, NegativeIndices::kOutOfBounds};
    return {op_name(plan.op()), data, axes, false, false, rules, 1, &plan};
  }
  const bool rows = plan.by_elements() && axes.front() < data.rank() - 1;
  return {op_name(plan.op()), data, axes, plan.tuples(), rows, plan.rules()};
}

Shape tuple_shape(const TensorView& indices, const IndexTarget& target) {
  const Shape strides = strides_of(indices);
  Shape shape;
  for (std::int64_t axis = 0; axis < indices.rank() - (target.tuples ? 1 : 0); ++axis) {
    shape.push_back(strides[axis] == 0 ? 1 : indices.shape()[axis]);
  }
  return shape;
}

tl::unexpected<Error> index_error(const TensorView& indices, const IndexTarget& target, const InvalidIndex& bad) {
  Shape coordinate = tuple_shape(indices, target);
  std::int64_t position = bad.position;
  for (std::int64_t axis = coordinate.rank() - 1; axis >= 0; --axis) {
    const std::int64_t extent = coordinate[axis];
    coordinate[axis] = position % extent;
    position /= extent;
  }
  if (target.tuples) coordinate.push_back(bad.component);
  const std::int64_t axis = target.axes[static_cast<std::size_t>(bad.component)];
  const std::int64_t extent = target.data_shape[axis];
  const ValueView value = index_value_view(indices.dtype(), bad.value);
  const About about{target.op, "indices", axis, value};
  const std::string what =
      concat("indices", coordinate.empty() ? std::string() : to_string(coordinate), " = ", value_text(value));
  const std::string where = concat(" for axis ", axis, " of data with shape ", target.data_shape);
  if (extent == 0) return fail_at(coordinate, about, what, ", but there is no position to choose", where);
  const bool from_end = target.rules.negative_indices == NegativeIndices::kFromEnd;
  return fail_at(coordinate, about, what, " is outside [", from_end ? -extent : 0, ", ", extent - 1, "]", where);
}

namespace {

constexpr std::int64_t kChunk = 2048;  // values tested before the result is inspected
constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

// The tuples of an index operand, in row-major order, as a strided loop.
struct Tuples {
  const std::byte* base;
  LoopNest<1> loop;
  std::int64_t component_stride_values;
  Shape extents;  // extents of the addressed axes
  NegativeIndices negative = NegativeIndices::kFromEnd;
  DType dtype = DType::kInt64;
  std::int64_t width = 8;  // bytes of an index value
  std::int64_t row = 1;    // length of the rows that are tested for equal values; 1: no test

  // The index value at an offset (in values).
  AnyIndex at(std::int64_t value) const noexcept { return load_any_index(dtype, base + value * width); }
};

using BoundsList = detail::InlineVector<ValueBounds, 8>;

struct PartResult {
  std::int64_t first_bad = kNone;  // position of the first bad tuple
  BoundsList bounds;               // bounds of each component
  bool constant_rows = false;
  std::vector<std::int64_t> cuts;
};

bool inside(const BoundsList& bounds, const Tuples& tuples) {
  const Shape& extents = tuples.extents;
  const bool from_end = tuples.negative == NegativeIndices::kFromEnd;
  bool ok = true;
  for (std::int64_t c = 0; c < bounds.size(); ++c) {
    ok &= bounds[c].lowest >= (from_end ? -extents[c] : 0) && bounds[c].highest < extents[c];
  }
  return ok;
}

bool tuple_ok(const Tuples& tuples, std::int64_t tuple) {
  for (std::int64_t c = 0; c < tuples.extents.rank(); ++c) {
    const std::int64_t value = tuples.at(tuple + c * tuples.component_stride_values).value;
    if (!in_range(value, tuples.extents[c], tuples.negative)) return false;
  }
  return true;
}

PartResult check_part(const Tuples& tuples, const IndexLoops& loops, Range part) {
  const std::int64_t stride = tuples.loop.inner_stride(0);
  PartResult result;
  for (std::int64_t c = 0; c < tuples.extents.rank(); ++c) result.bounds.push_back({});
  const std::span bounds(result.bounds.begin(), static_cast<std::size_t>(result.bounds.size()));
  result.constant_rows = tuples.row > 1 && stride == 1;
  if (part.begin >= part.end) return result;
  const std::int64_t chunk = std::max<std::int64_t>(kChunk / tuples.row, 1) * tuples.row;
  LoopWalk<1> walk(tuples.loop, part.begin);
  for (std::int64_t position = part.begin; position < part.end;) {
    const std::int64_t count = std::min({walk.run(), part.end - position, chunk});
    const std::int64_t begin = walk.offset()[0];
    const std::byte* first = tuples.base + begin * tuples.width;
    result.constant_rows = result.constant_rows && loops.constant_rows(first, tuples.row, count);
    const std::int64_t step = result.constant_rows ? tuples.row : 1;
    loops.bounds({first, stride * step, tuples.component_stride_values, count / step}, bounds);
    if (!inside(result.bounds, tuples)) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (!tuple_ok(tuples, begin + i * stride)) {
          result.first_bad = position + i;
          return result;
        }
      }
      result.first_bad = position;  // a value of the chunk was bad before another thread changed it
      return result;
    }
    position += count;
    walk.advance(count);
  }
  return result;
}

// Returns the starts of parts of equal length, and the end of the last part. If `segments`, each start moves past
// the values that equal the last value of the previous part.
std::vector<std::int64_t> find_begins(const Tuples& tuples, std::int64_t rows, std::int64_t parts, bool segments) {
  const auto value = [&](std::int64_t row) {
    const LoopWalk<1> walk(tuples.loop, row * tuples.row);
    return tuples.at(walk.offset()[0]).bits;
  };
  std::vector<std::int64_t> begins;
  for (std::int64_t i = 0; i < parts; ++i) {
    auto [begin, end] = part_of(rows, parts, i);
    if (segments && begin > 0) {
      const std::int64_t before = value(begin - 1);
      while (begin < end) {
        const std::int64_t middle = begin + (end - begin) / 2;
        if (value(middle) == before) {
          begin = middle + 1;
        } else {
          end = middle;
        }
      }
    }
    begins.push_back(begin);
  }
  begins.push_back(rows);
  return begins;
}

// Returns the starts of parts at which cuts are possible: all earlier values are below the rest, or all are above.
std::vector<std::int64_t> cuts_between(const std::vector<PartResult>& parts,
                                       const std::vector<std::int64_t>& begins) {
  std::vector<ValueBounds> after(parts.size() + 1);
  for (std::size_t i = parts.size(); i-- > 0;) {
    const ValueBounds& here = parts[i].bounds.front();
    after[i] = {std::min(after[i + 1].lowest, here.lowest), std::max(after[i + 1].highest, here.highest)};
  }
  std::vector<std::int64_t> rising;
  std::vector<std::int64_t> falling;
  ValueBounds before;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (begins[i] > 0 && begins[i] < begins[i + 1]) {
      if (before.highest < after[i].lowest) rising.push_back(begins[i]);
      if (before.lowest > after[i].highest) falling.push_back(begins[i]);
    }
    const ValueBounds& here = parts[i].bounds.front();
    before = {std::min(before.lowest, here.lowest), std::max(before.highest, here.highest)};
  }
  return rising.size() < falling.size() ? falling : rising;
}

// `segments`: IndexTarget::segments.
PartResult check_parts(const Tuples& tuples, const IndexLoops& loops, std::int64_t count, std::int64_t segments,
                       Executor& executor) {
  const std::int64_t rows = count / tuples.row;
  const std::int64_t parts =
      segments > 1 ? std::min(segments, rows) : std::min(usual_task_count(executor), count / kChunk + 1);
  const std::vector<std::int64_t> begins = find_begins(tuples, rows, parts, segments > 1);
  std::vector<PartResult> results(static_cast<std::size_t>(parts));
  parallel_for(executor, parts, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    results[at] = check_part(tuples, loops, {begins[at] * tuples.row, begins[at + 1] * tuples.row});
  });
  PartResult all = results.front();
  for (const PartResult& result : results) {
    all.first_bad = std::min(all.first_bad, result.first_bad);
    all.constant_rows = all.constant_rows && result.constant_rows;
    for (std::int64_t c = 0; c < all.bounds.size(); ++c) {
      all.bounds[c].lowest = std::min(all.bounds[c].lowest, result.bounds[c].lowest);
      all.bounds[c].highest = std::max(all.bounds[c].highest, result.bounds[c].highest);
    }
  }
  // If values of both signs occur, converting negative values to positions changes the order.
  const ValueBounds& first = all.bounds.front();
  const bool ordered = first.lowest >= 0 || first.highest < 0;
  if (segments > 1 && ordered && all.constant_rows == (tuples.row > 1)) all.cuts = cuts_between(results, begins);
  return all;
}

// Returns the bounds of the positions, or of the whole axis if values of both signs occur.
IndexStatistics make_statistics(const PartResult& result, const Shape& extents) {
  const ValueBounds& bounds = result.bounds.front();
  const std::int64_t extent = extents.front();
  IndexStatistics facts{0, extent - 1, result.constant_rows, false, result.cuts};
  if (bounds.lowest >= 0 || bounds.highest < 0) {
    const std::int64_t from_front = bounds.lowest >= 0 ? 0 : extent;
    facts.lowest = bounds.lowest + from_front;
    facts.highest = bounds.highest + from_front;
  }
  return facts;
}

// True if the rules accept a value outside its axis. An empty axis has no position to clip or wrap a value to.
bool stands_for_something(const IndexRules& rules, const Shape& extents) {
  if (rules.out_of_bounds == OutOfBounds::kError) return false;
  const bool chooses = rules.out_of_bounds == OutOfBounds::kClip || rules.out_of_bounds == OutOfBounds::kWrap;
  return !chooses || std::ranges::none_of(extents, [](std::int64_t extent) { return extent == 0; });
}

// Returns the error for the bad tuple at `position`, whose values are read again.
tl::unexpected<Error> out_of_range(const TensorView& indices, const IndexTarget& target, const Tuples& tuples,
                                   std::int64_t position) {
  const LoopWalk<1> walk(tuples.loop, position);
  for (std::int64_t c = 0; c < tuples.extents.rank(); ++c) {
    const std::int64_t at = walk.offset()[0] + c * tuples.component_stride_values;
    const AnyIndex index = tuples.at(at);
    if (!is_invalid(index.value, tuples.extents[c], target.rules)) continue;
    if (target.starts != nullptr) {
      return write_index_error(*target.starts, {position, c, index.bits});
    }
    return index_error(indices, target, {position, c, index.bits});
  }
  return fail(ErrorCode::kIndexOutOfRange, {target.op, "indices"}, "indices were changed while they were checked");
}

}  // namespace

Result<IndexStatistics> check_indices(const TensorView& indices, const IndexTarget& target,
                                      LazyExecutor executor) {
  if (target.axes.empty() || element_count(indices.shape()) == 0) return IndexStatistics{};
  const Shape strides = strides_of(indices);
  Tuples tuples{static_cast<const std::byte*>(indices.data()),
                {},
                0,
                {},
                target.rules.negative_indices,
                indices.dtype(),
                bit_width(indices.dtype()) / 8};
  for (std::int64_t axis : target.axes) {
    tuples.extents.push_back(target.starts != nullptr ? chosen_extent(*target.starts, axis)
                                                      : target.data_shape[axis]);
  }
  const Shape shape = tuple_shape(indices, target);
  const std::int64_t loop_rank = shape.rank();
  for (std::int64_t axis = 0; axis < loop_rank; ++axis) tuples.loop.push(shape[axis], {strides[axis]});
  if (target.tuples) tuples.component_stride_values = strides[loop_rank];
  if (target.rows && loop_rank > 1) tuples.row = shape[loop_rank - 1];
  const std::int64_t count = tuples.loop.count();
  const IndexLoops& loops = index_loops(indices.dtype());
  const bool divides = count >= min_parallel_copy_bytes() / tuples.width;
  const bool parts = divides || target.segments > 1;
  const PartResult all =
      parts ? check_parts(tuples, loops, count, target.segments, divides ? executor.get() : serial_executor())
            : check_part(tuples, loops, {0, count});
  if (all.first_bad == kNone) return make_statistics(all, tuples.extents);
  if (stands_for_something(target.rules, tuples.extents)) {
    return IndexStatistics{0, tuples.extents.front() - 1, false, true};
  }
  return out_of_range(indices, target, tuples, all.first_bad);
}

}  // namespace strew
