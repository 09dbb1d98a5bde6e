// Routing: the owner and the offset of each position, chunk by chunk, and a counting sort by owner.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "core/error.h"
#include "core/loop_nest.h"
#include "core/scratch.h"
#include "index/rules.h"
#include "index/scan.h"
#include "shard/request.h"
#include "strew/shard.h"

namespace strew {
namespace {

constexpr std::int64_t kChunk = 1024;    // positions: what is known of them stays in the first-level cache
constexpr std::size_t kFewOwners = 256;  // the ends of their lists, two lines each, stay there

// Positions on the axes that index values choose on, for the rules of a request.
class Places {
 public:
  explicit Places(const Request& request) : request_(request), width_(bit_width(request.dtype) / 8) {
    const IndexRules& rules = request.shards.rules;
    may_drop_ = rules.out_of_bounds == OutOfBounds::kFill || rules.out_of_bounds == OutOfBounds::kDrop;
    resolve_ = rules.out_of_bounds == OutOfBounds::kError ? index_loops(request.dtype).resolve
                                                          : resolve_by_rules(request.dtype, rules.out_of_bounds);
  }

  /// Whether kNowhere may come out of rules that refuse nothing.
  bool may_drop() const noexcept { return may_drop_; }

  /// Writes the places of `count` positions from where `walk` stands. False if one is refused.
  bool write(LoopWalk<1> walk, std::int64_t count, std::size_t component, std::int64_t* places) const {
    bool inside = true;
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t n = std::min(walk.run(), count - done);
      inside &= write_run(walk.offset()[0], n, component, places + done);
      walk.advance(n);
      done += n;
    }
    return inside;
  }

  /// The first of `count` positions from `begin` on with a value that is refused. One must be.
  BadIndex first_bad(std::int64_t begin, std::int64_t count) const {
    for (std::int64_t i = begin; i < begin + count; ++i) {
      const LoopWalk<1> walk(request_.loop, i);
      for (std::size_t c = 0; c < request_.cuts.size(); ++c) {
        std::int64_t place = 0;
        if (!write(walk, 1, c, &place)) return {i, static_cast<std::int64_t>(c)};
      }
    }
    return {begin, 0};  // the values were changed meanwhile
  }

 private:
  bool write_run(std::int64_t first, std::int64_t count, std::size_t component, std::int64_t* places) const {
    const std::int64_t offset = first + static_cast<std::int64_t>(component) * request_.component_stride;
    const IndexValues values{request_.indices + offset * width_, request_.loop.inner_stride(0), 0, count};
    const std::int64_t extent = request_.cuts[component].extent();
    const IndexComponent axis{extent, 1, from_end(extent, request_.shards.rules.negative_indices)};
    return resolve_(values, {&axis, 1}, places);
  }

  const Request& request_;
  std::int64_t width_;
  bool may_drop_;
  ResolveByRules resolve_;
};

// Clip and wrap have no answer on an axis without positions: all values are refused there.
std::optional<BadIndex> nowhere_to_go(const Request& request) {
  const OutOfBounds rule = request.shards.rules.out_of_bounds;
  if (rule != OutOfBounds::kClip && rule != OutOfBounds::kWrap) return std::nullopt;
  for (std::size_t c = 0; c < request.cuts.size(); ++c) {
    if (request.cuts[c].extent() == 0) return BadIndex{0, static_cast<std::int64_t>(c)};
  }
  return std::nullopt;
}

// Writes offset * extent + the coordinate along an axis of the positions; `begin` is the first of them.
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

// What is known of a chunk of positions.
struct Chunk {
  std::array<std::int64_t, kChunk> places;
  std::array<std::int64_t, kChunk> offsets;
  std::array<std::uint32_t, kChunk> blocks;  // along one axis
  std::array<std::uint32_t, kChunk> owners;
  std::array<bool, kChunk> nowhere;
};

// Where a position goes: how far behind where its list counts from.
template <class Offset>
struct Entry {
  Offset offset;
  std::uint32_t owner;
};

// The list of an owner, while it is written.
template <class Offset>
struct List {
  std::uint32_t next;  // where its next entry goes
  Offset base;         // that its offsets count from
};

class Router {
 public:
  explicit Router(const Request& request) : request_(request), places_(request) {}

  /// Blocks of the one axis that there is are the owners; the offsets of entries are positions on it.
  bool on_one_axis() const noexcept {
    return request_.shards.axes.size() == 1 && request_.cuts.size() == 1 && !places_.may_drop();
  }

  /// Writes the entry of each position; `histogram` counts those of each owner, and those without one behind.
  template <class Offset>
  std::optional<BadIndex> find_owners(Entry<Offset>* entries, std::uint32_t* histogram) {
    if (on_one_axis()) {
      const Cut& cut = request_.cuts.front();
      return each_chunk([&](const LoopWalk<1>& walk, std::int64_t begin, std::int64_t count) {
        if (!places_.write(walk, count, 0, chunk_.places.data())) return false;
        cut.find(chunk_.places.data(), count, chunk_.owners.data());
        write_entries(chunk_.places, begin, count, entries, histogram);
        return true;
      });
    }
    return each_chunk([&](const LoopWalk<1>& walk, std::int64_t begin, std::int64_t count) {
      if (!fill(walk, begin, count)) return false;
      write_entries(chunk_.offsets, begin, count, entries, histogram);
      return true;
    });
  }

  std::optional<BadIndex> find_bad() {
    return each_chunk([&](const LoopWalk<1>& walk, std::int64_t, std::int64_t count) {
      for (std::size_t c = 0; c < request_.cuts.size(); ++c) {
        if (!places_.write(walk, count, c, chunk_.places.data())) return false;
      }
      return true;
    });
  }

 private:
  // Until a chunk is not taken, because something is refused.
  template <class Take>
  std::optional<BadIndex> each_chunk(const Take& take) {
    if (request_.count == 0) return std::nullopt;
    if (const auto bad = nowhere_to_go(request_)) return bad;
    LoopWalk<1> walk(request_.loop, 0);
    for (std::int64_t begin = 0; begin < request_.count; begin += kChunk) {
      const std::int64_t count = std::min(kChunk, request_.count - begin);
      if (!take(walk, begin, count)) return places_.first_bad(begin, count);
      for (std::int64_t left = count; left > 0 && begin + count < request_.count;) {
        const std::int64_t n = std::min(walk.run(), left);
        walk.advance(n);
        left -= n;
      }
    }
    return std::nullopt;
  }

  template <class Offset>
  void write_entries(const std::array<std::int64_t, kChunk>& offsets, std::int64_t begin, std::int64_t count,
                     Entry<Offset>* entries, std::uint32_t* histogram) const {
    const std::uint32_t* owner = chunk_.owners.data();
    const std::int64_t* offset = offsets.data();
    for (std::int64_t i = 0; i < count; ++i) {
      entries[begin + i] = {static_cast<Offset>(offset[i]), owner[i]};
      ++histogram[owner[i]];
    }
  }

  bool fill(const LoopWalk<1>& walk, std::int64_t begin, std::int64_t count) {
    Chunk& chunk = chunk_;
    std::fill_n(chunk.offsets.begin(), count, 0);
    std::fill_n(chunk.owners.begin(), count, 0u);
    if (places_.may_drop()) std::fill_n(chunk.nowhere.begin(), count, false);
    std::size_t component = 0;
    for (std::size_t axis = 0; axis < request_.shards.axes.size(); ++axis) {
      const ShardAxis& one = request_.shards.axes[axis];
      if (one.cuts.empty()) {
        add_coordinates(request_.shape, static_cast<std::int64_t>(axis), one.extent, begin, count,
                        chunk.offsets.data());
        continue;
      }
      if (!places_.write(walk, count, component, chunk.places.data())) return false;
      if (places_.may_drop()) forget_nowhere(count);
      add_places(request_.cuts[component++], count);
    }
    if (places_.may_drop()) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (chunk.nowhere[at(i)]) chunk.owners[at(i)] = static_cast<std::uint32_t>(request_.owners);
      }
    }
    return true;
  }

  void forget_nowhere(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (chunk_.places[at(i)] != kNowhere) continue;
      chunk_.nowhere[at(i)] = true;
      chunk_.places[at(i)] = 0;
    }
  }

  void add_places(const Cut& cut, std::int64_t count) {
    const std::int64_t* begins = cut.begins();
    const auto blocks = static_cast<std::uint32_t>(cut.count());
    cut.find(chunk_.places.data(), count, chunk_.blocks.data());
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint32_t block = chunk_.blocks[at(i)];
      chunk_.offsets[at(i)] =
          chunk_.offsets[at(i)] * (begins[block + 1] - begins[block]) + chunk_.places[at(i)] - begins[block];
      chunk_.owners[at(i)] = chunk_.owners[at(i)] * blocks + block;
    }
  }

  static std::size_t at(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }

  const Request& request_;
  Places places_;
  std::unique_ptr<Chunk> memory_{new Chunk};  // too large for small stacks; not cleared
  Chunk& chunk_ = *memory_;
};

template <class Offset>
Status check_lists(const Request& request, const Routed<Offset>& routed) {
  const auto count = static_cast<std::size_t>(request.count);
  if (routed.bounds.size() != static_cast<std::size_t>(request.owners) + 1 || routed.offsets.size() != count ||
      routed.positions.size() != count) {
    return fail(ErrorCode::kInvalidArgument, "route: lists must have ", request.owners + 1, " bounds and ",
                request.count, " offsets and positions");
  }
  const std::int64_t largest = largest_block(request.shards);
  if (largest < 0) {
    return fail(
        ErrorCode::kInvalidArgument,
        "route: a block has 2^63 elements or more, which offsets cannot count; cut the axes into more blocks");
  }
  const auto highest = static_cast<std::uint64_t>(std::numeric_limits<Offset>::max());
  if (largest > 0 && static_cast<std::uint64_t>(largest) - 1 > highest) {
    return fail(ErrorCode::kInvalidArgument, "route: offsets in a block of ", largest,
                " elements do not fit 32 bits");
  }
  return {};
}

template <class T>
constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));

// Asks for the line behind, which a list is written to next: with many lists the processor does not guess that.
template <class T>
void expect_write(T* written) noexcept {
  __builtin_prefetch(reinterpret_cast<const std::byte*>(written) + kLineBytes, 1);
}

// Puts each position where the next of its owner goes. The ends of many lists do not stay in the nearest cache, so
// positions are first put together by groups of neighbouring owners.
template <class Offset>
void sort_by_owner(const Entry<Offset>* entries, std::int64_t count, std::vector<List<Offset>>& lists,
                   const Routed<Offset>& routed) {
  const auto put = [&](const Entry<Offset>& entry, std::uint32_t position) {
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
    Entry<Offset> entry;
    std::uint32_t position;
  };
  const Scratch memory(whole_lines(count * kBytes<Moved>));
  auto* moved = reinterpret_cast<Moved*>(memory.data());
  const auto shift =
      static_cast<int>(std::bit_width(lists.size()) / 2);  // a group has as many owners as there are groups
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
  const Scratch memory(whole_lines(request.count * kBytes<Entry<Offset>>));
  auto* entries = reinterpret_cast<Entry<Offset>*>(memory.data());
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(request.owners) + 1, 0u);
  Router router(request);
  if (const auto bad = router.find_owners(entries, counts.data())) return bad;
  std::vector<List<Offset>> lists(counts.size());
  std::uint32_t sum = 0;
  for (std::size_t j = 0; j < lists.size(); ++j) {
    routed.bounds[j] = sum;
    lists[j] = {sum, router.on_one_axis() ? static_cast<Offset>(request.cuts.front().begins()[j]) : Offset{0}};
    sum += counts[j];
  }
  sort_by_owner(entries, request.count, lists, routed);
  return std::nullopt;
}

template <class Work>
Result<std::optional<BadIndex>> with_request(const Shards& shards, const TensorView& indices, const Work& work) {
  try {
    const auto request = check_request(shards, indices);
    if (!request) return fail(request.error());
    return work(*request);
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kOutOfMemory, "route: out of memory");
  }
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

}  // namespace strew
