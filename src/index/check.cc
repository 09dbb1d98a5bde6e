// The range check of index values.
#include "index/check.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/loop_nest.h"
#include "core/parallel.h"
#include "core/view_check.h"
#include "index/index_value.h"

namespace strew {
namespace {

constexpr std::int64_t kChunk = 2048;            // values tested between two looks at the result
constexpr std::int64_t kParallelFrom = 1 << 15;  // values; below, waking threads costs more than the check

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

// The tuples of an index operand, in row-major order, as a strided loop.
struct Tuples {
  const std::byte* base;
  LoopNest<1> loop;
  std::int64_t component_stride;
  Shape extents;  // of the addressed axes
};

struct PartResult {
  std::int64_t first_bad = kNone;  // position of a tuple
  std::int64_t lowest = kNone;
  std::int64_t highest = -1;
};

// Scans `count` tuples from `first` on, `stride` elements apart. No early exit, so that it vectorises.
template <class Index>
bool scan(const Tuples& tuples, const std::byte* first, std::int64_t stride, std::int64_t count,
          PartResult& result) {
  bool ok = true;
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Index));
  std::int64_t lowest = result.lowest;
  std::int64_t highest = result.highest;
  const std::int64_t extent = tuples.extents.front();
  const auto test = [&](std::int64_t step) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto value = load_index<Index>(first + i * step);
      ok &= in_range(value, extent);
      const std::int64_t front = from_front(value, extent);
      lowest = std::min(lowest, front);
      highest = std::max(highest, front);
    }
  };
  if (stride == 1) {
    test(kWidth);
  } else {
    test(stride * kWidth);
  }
  for (std::int64_t c = 1; c < tuples.extents.rank(); ++c) {
    const std::byte* component = first + c * tuples.component_stride * kWidth;
    for (std::int64_t i = 0; i < count; ++i) {
      ok &= in_range(load_index<Index>(component + i * stride * kWidth), tuples.extents[c]);
    }
  }
  result.lowest = lowest;
  result.highest = highest;
  return ok;
}

template <class Index>
bool tuple_ok(const Tuples& tuples, const std::byte* tuple) {
  for (std::int64_t c = 0; c < tuples.extents.rank(); ++c) {
    const std::int64_t offset = c * tuples.component_stride;
    const auto value = load_index<Index>(tuple + offset * static_cast<std::int64_t>(sizeof(Index)));
    if (!in_range(value, tuples.extents[c])) return false;
  }
  return true;
}

template <class Index>
PartResult check_part(const Tuples& tuples, std::int64_t begin, std::int64_t end) {
  PartResult result;
  if (begin >= end) return result;
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Index));
  LoopWalk<1> walk(tuples.loop, begin);
  for (std::int64_t position = begin; position < end;) {
    const std::int64_t count = std::min({walk.run(), end - position, kChunk});
    const std::byte* first = tuples.base + walk.offset()[0] * kWidth;
    const std::int64_t stride = tuples.loop.inner_stride(0);
    if (!scan<Index>(tuples, first, stride, count, result)) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (!tuple_ok<Index>(tuples, first + i * stride * kWidth)) {
          result.first_bad = position + i;
          return result;
        }
      }
    }
    position += count;
    walk.advance(count);
  }
  return result;
}

template <class Index>
PartResult check_parts(const Tuples& tuples, std::int64_t count, Executor& executor) {
  const std::int64_t parts = usual_task_count(executor);
  std::vector<PartResult> results(static_cast<std::size_t>(parts));
  parallel_for(executor, parts, [&](std::int64_t part) {
    const Range range = part_of(count, parts, part);
    results[static_cast<std::size_t>(part)] = check_part<Index>(tuples, range.begin, range.end);
  });
  PartResult all;
  for (const PartResult& result : results) {  // in row-major order: the first bad one is the first of all
    all.first_bad = std::min(all.first_bad, result.first_bad);
    all.lowest = std::min(all.lowest, result.lowest);
    all.highest = std::max(all.highest, result.highest);
  }
  return all;
}

// The message for the bad tuple at `position`, counted over `shape`, the index axes without that of components.
template <class Index>
Error out_of_range(const TensorView& indices, const IndexTarget& target, const Tuples& tuples, const Shape& shape,
                   std::int64_t position) {
  const Shape strides = strides_of(indices);
  Shape coordinate = shape;
  std::int64_t offset = 0;
  for (std::int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
    coordinate[axis] = position % shape[axis];
    position /= shape[axis];
    offset += coordinate[axis] * strides[axis];
  }
  for (std::int64_t c = 0; c < tuples.extents.rank(); ++c) {
    const std::int64_t at = offset + c * tuples.component_stride;
    const auto value = load_index<Index>(tuples.base + at * static_cast<std::int64_t>(sizeof(Index)));
    if (in_range(value, tuples.extents[c])) continue;
    if (target.tuples) coordinate.push_back(c);
    const std::int64_t extent = tuples.extents[c];
    const std::string where =
        concat(" for axis ", target.axes[static_cast<std::size_t>(c)], " of data with shape ", target.data_shape);
    const std::string what =
        concat(target.op, ": indices", coordinate.empty() ? std::string() : to_string(coordinate), " = ", value);
    if (extent == 0) {
      return {ErrorCode::kIndexOutOfRange, concat(what, ", but there is no position to choose", where)};
    }
    return {ErrorCode::kIndexOutOfRange, concat(what, " is outside [", -extent, ", ", extent - 1, "]", where)};
  }
  return {ErrorCode::kIndexOutOfRange, concat(target.op, ": indices were changed while they were checked")};
}

}  // namespace

Result<IndexFacts> check_indices(const TensorView& indices, const IndexTarget& target, LazyExecutor executor) {
  if (target.axes.empty() || element_count(indices.shape()) == 0) return IndexFacts{};
  const Shape strides = strides_of(indices);
  Tuples tuples{static_cast<const std::byte*>(indices.data()), {}, 0, {}};
  for (std::int64_t axis : target.axes) tuples.extents.push_back(target.data_shape[axis]);
  Shape shape;  // of the loop; a broadcast axis repeats its first values, so those are enough
  const std::int64_t loop_rank = indices.rank() - (target.tuples ? 1 : 0);
  for (std::int64_t axis = 0; axis < loop_rank; ++axis) {
    shape.push_back(strides[axis] == 0 ? 1 : indices.shape()[axis]);
    tuples.loop.push(shape[axis], {strides[axis]});
  }
  if (target.tuples) tuples.component_stride = strides[loop_rank];

  const std::int64_t count = tuples.loop.count();
  return visit_index_type(indices.dtype(), [&](auto tag) -> Result<IndexFacts> {
    using Index = decltype(tag);
    const PartResult all = count < kParallelFrom ? check_part<Index>(tuples, 0, count)
                                                 : check_parts<Index>(tuples, count, executor.get());
    if (all.first_bad == kNone) return IndexFacts{all.lowest, all.highest};
    return fail(out_of_range<Index>(indices, target, tuples, shape, all.first_bad));
  });
}

}  // namespace strew
