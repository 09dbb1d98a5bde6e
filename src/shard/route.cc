// Checks shards and indices, and routes positions to their owners with a counting sort.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/fence.h"
#include "core/scratch.h"
#include "core/size.h"
#include "core/view_check.h"
#include "index/scan.h"
#include "shard/router.h"
#include "strew/shard.h"

namespace strew {
namespace {

constexpr std::size_t kFewOwners = 256;  // the ends of all lists, two cache lines per owner, stay in L1

// An owner's list while entries are appended to it.
template <class Offset>
struct List {
  std::uint32_t next;  // index of its next entry
  Offset base;         // subtracted from the offsets of its entries
};

template <class Offset>
Status check_lists(const Request& request, const Routed<Offset>& routed) {
  const auto count = static_cast<std::size_t>(request.count);
  if (routed.bounds.size() != static_cast<std::size_t>(request.owners) + 1 || routed.offsets.size() != count ||
      routed.positions.size() != count) {
    return fail(ErrorCode::kInvalidArgument, {"route"}, "lists must have ", request.owners + 1, " bounds, ",
                request.count, " offsets and ", request.count, " positions");
  }
  const std::int64_t largest = largest_block(request.shards);
  if (largest < 0) {
    return fail(ErrorCode::kInvalidArgument, {"route", "cuts"},
                "a block has 2^63 elements or more, which offsets cannot count; cut the axes into more blocks");
  }
  const auto highest = static_cast<std::uint64_t>(std::numeric_limits<Offset>::max());
  if (largest > 0 && static_cast<std::uint64_t>(largest) - 1 > highest) {
    return fail(ErrorCode::kInvalidArgument, {"route"}, "offsets in a block of ", largest,
                " elements do not fit in 32 bits; use Routed<std::uint64_t>");
  }
  return {};
}

template <class T>
constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));

// Prefetches the next cache line of a list. The hardware prefetcher follows fewer streams than there are lists.
template <class T>
void expect_write(T* written) noexcept {
  __builtin_prefetch(reinterpret_cast<const std::byte*>(written) + kCacheLineBytes, 1);
}

// Appends each position to its owner's list. If there are many lists, sorts positions by groups of owners first.
template <class Offset>
void sort_by_owner(const RouteEntry<Offset>* entries, std::int64_t count, std::vector<List<Offset>>& lists,
                   const Routed<Offset>& routed) {
  const auto put = [&](const RouteEntry<Offset>& entry, std::uint32_t position) {
    List<Offset>& list = lists[entry.owner];
    const std::uint32_t to = list.next++;
    routed.offsets[to] = entry.offset - list.base;
    routed.positions[to] = position;
    expect_write(&routed.offsets[to]);
    expect_write(&routed.positions[to]);
  };
  if (lists.size() <= kFewOwners) {
    for (std::int64_t i = 0; i < count; ++i) put(entries[i], static_cast<std::uint32_t>(i));
    return;
  }
  struct Moved {
    RouteEntry<Offset> entry;
    std::uint32_t position;
  };
  const Scratch memory(whole_lines(count * kBytes<Moved>));
  auto* moved = reinterpret_cast<Moved*>(memory.data());
  const auto shift =
      static_cast<int>(std::bit_width(lists.size()) / 2);  // a group has about as many owners as there are groups
  std::vector<std::uint32_t> next_of_group;
  for (std::size_t j = 0; j < lists.size(); j += std::size_t{1} << shift) next_of_group.push_back(lists[j].next);
  for (std::int64_t i = 0; i < count; ++i) {
    Moved* to = moved + next_of_group[entries[i].owner >> shift]++;
    *to = {entries[i], static_cast<std::uint32_t>(i)};
    expect_write(to);
  }
  for (std::int64_t i = 0; i < count; ++i) put(moved[i].entry, moved[i].position);
}

template <class Offset>
Result<std::optional<BadIndex>> route_checked(const Request& request, const Routed<Offset>& routed) {
  STREW_TRY(check_lists(request, routed));
  const Scratch memory(whole_lines(request.count * kBytes<RouteEntry<Offset>>));
  auto* entries = reinterpret_cast<RouteEntry<Offset>*>(memory.data());
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(request.owners) + 1, 0u);
  Router router(request);
  if (const auto bad = router.find_owners(entries, counts.data())) return bad;
  std::vector<List<Offset>> lists(counts.size());
  starts_from_counts(std::span(counts));
  std::ranges::copy(counts, routed.bounds.begin());
  for (std::size_t j = 0; j < lists.size(); ++j) {
    lists[j] = {counts[j],
                router.on_one_axis() ? static_cast<Offset>(request.cuts.front().begins()[j]) : Offset{0}};
  }
  sort_by_owner(entries, request.count, lists, routed);
  return std::nullopt;
}

template <class Work>
Result<std::optional<BadIndex>> with_request(const Shards& shards, const TensorView& indices, const Work& work) {
  return without_exceptions(About{"route"}, [&]() -> Result<std::optional<BadIndex>> {
    STREW_ASSIGN(auto&& request, check_request(shards, indices));
    return work(request);
  });
}

Status check_cuts(std::span<const std::int64_t> cuts, std::int64_t axis) {
  bool rising = cuts.size() >= 2 && cuts.front() == 0;
  for (std::size_t i = 1; i < cuts.size(); ++i) rising = rising && cuts[i - 1] <= cuts[i];
  if (rising) return {};
  return fail(ErrorCode::kInvalidArgument, {"route", "cuts", axis}, "the cuts of axis ", axis,
              " must begin with 0, not decrease, and end with its length");
}

std::int64_t multiply_sizes(const Shards& shards, std::int64_t (*factor)(const ShardAxis&)) noexcept {
  std::int64_t product = 1;
  for (const ShardAxis& axis : shards.axes) {
    if (__builtin_mul_overflow(product, factor(axis), &product)) return -1;
  }
  return product;
}

}  // namespace

Result<std::optional<BadIndex>> route(const Shards& shards, const TensorView& indices,
                                      const Routed<std::uint32_t>& routed) {
  return with_request(shards, indices, [&](const Request& request) { return route_checked(request, routed); });
}

Result<std::optional<BadIndex>> route(const Shards& shards, const TensorView& indices,
                                      const Routed<std::uint64_t>& routed) {
  return with_request(shards, indices, [&](const Request& request) { return route_checked(request, routed); });
}

Result<std::optional<BadIndex>> find_bad_index(const Shards& shards, const TensorView& indices) {
  return with_request(shards, indices, [](const Request& request) -> Result<std::optional<BadIndex>> {
    return Router(request).find_bad();
  });
}

void add_coordinates(const Shape& shape, std::int64_t axis, std::int64_t extent, std::int64_t begin,
                     std::int64_t count, std::int64_t* offsets) {
  std::int64_t inner = 1;
  for (std::int64_t d = axis + 1; d < shape.rank(); ++d) inner *= shape[d];
  std::int64_t coordinate = begin / inner % shape[axis];
  std::int64_t left = inner - begin % inner;
  for (std::int64_t i = 0; i < count;) {
    const std::int64_t end = std::min(i + left, count);
    for (; i < end; ++i) offsets[i] = offsets[i] * extent + coordinate;
    left = inner;
    if (++coordinate == shape[axis]) coordinate = 0;
  }
}

IndexCoordinates::IndexCoordinates(const Request& request)
    : request_(request), width_(bit_width(request.dtype) / 8) {
  const IndexRules& rules = request.shards.rules;
  may_drop_ = rules.out_of_bounds == OutOfBounds::kFill || rules.out_of_bounds == OutOfBounds::kDrop;
  resolve_ = resolve_by_rules(request.dtype, rules.out_of_bounds);
}

bool IndexCoordinates::write(LoopWalk<1> walk, std::int64_t count, std::size_t component,
                             std::int64_t* coordinates) const {
  bool inside = true;
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t n = std::min(walk.run(), count - done);
    inside &= write_run(walk.offset()[0], n, component, coordinates + done);
    walk.advance(n);
    done += n;
  }
  return inside;
}

BadIndex IndexCoordinates::first_bad(std::int64_t begin, std::int64_t count) const {
  for (std::int64_t i = begin; i < begin + count; ++i) {
    const LoopWalk<1> walk(request_.loop, i);
    for (std::size_t c = 0; c < request_.cuts.size(); ++c) {
      std::int64_t coordinate = 0;
      if (!write(walk, 1, c, &coordinate)) return {i, static_cast<std::int64_t>(c)};
    }
  }
  return {begin, 0};  // another thread changed the values
}

std::optional<BadIndex> IndexCoordinates::nowhere_to_go() const {
  const OutOfBounds rule = request_.shards.rules.out_of_bounds;
  if (rule != OutOfBounds::kClip && rule != OutOfBounds::kWrap) return std::nullopt;
  for (std::size_t c = 0; c < request_.cuts.size(); ++c) {
    if (request_.cuts[c].extent() == 0) return BadIndex{0, static_cast<std::int64_t>(c)};
  }
  return std::nullopt;
}

bool IndexCoordinates::write_run(std::int64_t first, std::int64_t count, std::size_t component,
                                 std::int64_t* coordinates) const {
  const std::int64_t offset = first + static_cast<std::int64_t>(component) * request_.component_stride;
  const IndexValues values{request_.indices + offset * width_, request_.loop.inner_stride(0), 0, count};
  const std::int64_t extent = request_.cuts[component].extent();
  const IndexComponent axis = make_component(extent, 1, request_.shards.rules.negative_indices);
  return resolve_(values, {&axis, 1}, coordinates);
}

Result<Request> check_request(const Shards& shards, const TensorView& indices) {
  STREW_TRY(check_view("route", "indices", indices));
  if (!is_index_type(indices.dtype())) {
    return fail(ErrorCode::kInvalidType, {"route", "indices"}, "indices have type ", dtype_name(indices.dtype()),
                ", not an integer type");
  }
  Request request{shards, indices.dtype(), static_cast<const std::byte*>(indices.data()), {}, {}, 0, {}};
  const std::int64_t rank = indices.rank() - (shards.tuples ? 1 : 0);
  const Shape strides = strides_of(indices);
  std::int64_t cut_axes = 0;
  for (std::size_t axis = 0; axis < shards.axes.size(); ++axis) {
    const ShardAxis& one = shards.axes[axis];
    const auto number = static_cast<std::int64_t>(axis);
    if (!one.cuts.empty()) {
      STREW_TRY(check_cuts(one.cuts, number));
      request.cuts.emplace_back(one.cuts);
      ++cut_axes;
    } else if (number >= rank || indices.shape()[number] > one.extent) {
      return fail(ErrorCode::kInvalidArgument, {"route", "indices", number}, "indices have shape ",
                  indices.shape(), "; they must have an axis ", number, " whose length is at most ", one.extent,
                  ", the block's length");
    }
  }
  const std::int64_t wanted = !shards.tuples ? 1 : rank < 0 ? -1 : indices.shape()[rank];
  if (cut_axes != wanted) {
    return fail(ErrorCode::kInvalidArgument, {"route", "cuts"}, "the number of cut axes is ", cut_axes,
                "; for indices with shape ", indices.shape(), " it must be ", wanted);
  }
  if (shards.tuples) request.component_stride = strides[rank];
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    request.shape.push_back(indices.shape()[axis]);
    request.loop.push(indices.shape()[axis], {strides[axis]});
  }
  request.count = element_count(request.shape);
  request.owners = owner_count(shards);
  if (request.count < 0 || request.count > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kInvalidArgument, {"route", "indices"}, "indices with shape ", indices.shape(),
                " have 2^32 positions or more; route them in parts");
  }
  if (request.owners < 0) {
    return fail(ErrorCode::kInvalidArgument, {"route", "cuts"},
                "there are 2^63 owners or more; at most 2^32 - 2 are allowed");
  }
  if (request.owners >= std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kInvalidArgument, {"route", "cuts"}, "there are ", request.owners,
                " owners; at most 2^32 - 2 are allowed");
  }
  return request;
}

std::int64_t owner_count(const Shards& shards) noexcept {
  return multiply_sizes(shards, [](const ShardAxis& axis) {
    return axis.cuts.empty() ? 1 : static_cast<std::int64_t>(axis.cuts.size()) - 1;
  });
}

std::int64_t largest_block(const Shards& shards) noexcept {
  return multiply_sizes(shards, [](const ShardAxis& axis) {
    std::int64_t longest = axis.cuts.empty() ? axis.extent : 0;
    for (std::size_t i = 1; i < axis.cuts.size(); ++i)
      longest = std::max(longest, axis.cuts[i] - axis.cuts[i - 1]);
    return longest;
  });
}

}  // namespace strew
