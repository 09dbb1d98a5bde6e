// Request: validated shards and indices. Router: computes the owner and the offset of each position.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/loop_nest.h"
#include "index/scan.h"
#include "strew/shard.h"

namespace strew {
/// The first three blocks in a bucket. Here a bucket is a range of 2^Cut::shift_ positions of an axis.
struct CutBucket {
  std::int32_t block;                ///< block of the first position
  std::array<std::int32_t, 3> ends;  ///< ends of that block and the next two, relative to the bucket's start
};

/// Blocks of any lengths along one axis.
class Cut {
 public:
  /// `cuts` begin with 0, do not decrease, and must outlive this object.
  explicit Cut(std::span<const std::int64_t> cuts);

  std::int64_t extent() const noexcept { return cuts_.back(); }
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(cuts_.size()) - 1; }
  const std::int64_t* begins() const noexcept { return cuts_.data(); }

  /// Writes the block of each position. Positions are in [0, extent), or 0 if the extent is 0.
  void find(const std::int64_t* positions, std::int64_t count, std::uint32_t* blocks) const noexcept;

 private:
  void find_reciprocal() noexcept;
  void fill_table();

  std::span<const std::int64_t> cuts_;
  std::uint64_t reciprocal_ = 0;  // (2^32 - 1) / block length, or 0 if `find` does not use it
  int shift_ = 0;                 // log2 of the number of positions in a bucket
  std::vector<CutBucket> table_;  // the buckets, then a sentinel with the last block
};

struct Request {
  const Shards& shards;
  DType dtype;
  const std::byte* indices;
  Shape shape;  // shape of the positions
  LoopNest<1> loop;
  std::int64_t component_stride = 0;
  std::vector<Cut> cuts;
  std::int64_t count = 0;  // number of positions
  std::int64_t owners = 0;
};

/// Creates a request; rejects cuts, types and shapes that do not match. Both arguments must outlive the result.
Result<Request> check_request(const Shards& shards, const TensorView& indices);

/// Converts index values to positions on the axes that they address, by the rules of a request.
class IndexCoordinates {
 public:
  explicit IndexCoordinates(const Request& request);

  /// True if the rules convert index values out of bounds to kDroppedOffset.
  bool may_drop() const noexcept { return may_drop_; }

  /// For `count` index tuples from `walk` on, converts `component` to positions on its axis. Returns false if a
  /// value is rejected.
  bool write(LoopWalk<1> walk, std::int64_t count, std::size_t component, std::int64_t* coordinates) const;

  /// Returns the first rejected index value of `count` positions from `begin` on. At least one must be rejected.
  BadIndex first_bad(std::int64_t begin, std::int64_t count) const;

  /// If the rule is clip or wrap and an axis has no positions, returns the first index value for that axis: it is
  /// rejected, since it cannot be clipped or wrapped to a position.
  std::optional<BadIndex> nowhere_to_go() const;

 private:
  bool write_run(std::int64_t first, std::int64_t count, std::size_t component, std::int64_t* coordinates) const;

  const Request& request_;
  std::int64_t width_;
  bool may_drop_;
  ResolveByRules resolve_;
};

inline constexpr std::int64_t kRouteChunk = 1024;  ///< number of positions in a chunk; a RouteChunk stays in L1

struct RouteChunk {
  std::array<std::int64_t, kRouteChunk> coordinates;
  std::array<std::int64_t, kRouteChunk> offsets;
  std::array<std::uint32_t, kRouteChunk> blocks;  // blocks along one axis
  std::array<std::uint32_t, kRouteChunk> owners;
  std::array<bool, kRouteChunk> nowhere;  // true for positions without an owner
};

/// The owner and the offset of a position. The offset is the position on the axis if Router::on_one_axis(), and
/// otherwise the offset in the owner's block.
template <class Offset>
struct RouteEntry {
  Offset offset;
  std::uint32_t owner;
};

/// For `count` positions from `begin` on, replaces each offset by offset * extent + coordinate along `axis`.
void add_coordinates(const Shape& shape, std::int64_t axis, std::int64_t extent, std::int64_t begin,
                     std::int64_t count, std::int64_t* offsets);

class Router {
 public:
  explicit Router(const Request& request) : request_(request), coordinates_(request) {}

  /// True if there is one axis and the rules drop no values. Then owner i has block i of the axis, and offsets are
  /// positions on the axis.
  bool on_one_axis() const noexcept {
    return request_.shards.axes.size() == 1 && request_.cuts.size() == 1 && !coordinates_.may_drop();
  }

  /// Writes one entry per position. histogram[i] counts the positions of owner i, and the last slot counts the
  /// positions without an owner. Returns the first rejected value, if any.
  template <class Offset>
  std::optional<BadIndex> find_owners(RouteEntry<Offset>* entries, std::uint32_t* histogram) {
    if (on_one_axis()) {
      const Cut& cut = request_.cuts.front();
      return each_chunk([&](const LoopWalk<1>& walk, std::int64_t begin, std::int64_t count) {
        if (!coordinates_.write(walk, count, 0, chunk_.coordinates.data())) return false;
        cut.find(chunk_.coordinates.data(), count, chunk_.owners.data());
        write_entries(chunk_.coordinates, begin, count, entries, histogram);
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
        if (!coordinates_.write(walk, count, c, chunk_.coordinates.data())) return false;
      }
      return true;
    });
  }

 private:
  // Calls `take` for each chunk. If `take` returns false, returns the first rejected value of that chunk.
  template <class Take>
  std::optional<BadIndex> each_chunk(const Take& take) {
    if (request_.count == 0) return std::nullopt;
    if (const auto bad = coordinates_.nowhere_to_go()) return bad;
    LoopWalk<1> walk(request_.loop, 0);
    for (std::int64_t begin = 0; begin < request_.count; begin += kRouteChunk) {
      const std::int64_t count = std::min(kRouteChunk, request_.count - begin);
      if (!take(walk, begin, count)) return coordinates_.first_bad(begin, count);
      for (std::int64_t left = count; left > 0 && begin + count < request_.count;) {
        const std::int64_t n = std::min(walk.run(), left);
        walk.advance(n);
        left -= n;
      }
    }
    return std::nullopt;
  }

  template <class Offset>
  void write_entries(const std::array<std::int64_t, kRouteChunk>& offsets, std::int64_t begin, std::int64_t count,
                     RouteEntry<Offset>* entries, std::uint32_t* histogram) const {
    const std::uint32_t* owner = chunk_.owners.data();
    const std::int64_t* offset = offsets.data();
    for (std::int64_t i = 0; i < count; ++i) {
      entries[begin + i] = {static_cast<Offset>(offset[i]), owner[i]};
      ++histogram[owner[i]];
    }
  }

  bool fill(const LoopWalk<1>& walk, std::int64_t begin, std::int64_t count) {
    std::fill_n(chunk_.offsets.begin(), count, 0);
    std::fill_n(chunk_.owners.begin(), count, 0u);
    if (coordinates_.may_drop()) std::fill_n(chunk_.nowhere.begin(), count, false);
    std::size_t component = 0;
    for (std::size_t axis = 0; axis < request_.shards.axes.size(); ++axis) {
      const ShardAxis& one = request_.shards.axes[axis];
      if (one.cuts.empty()) {
        add_coordinates(request_.shape, static_cast<std::int64_t>(axis), one.extent, begin, count,
                        chunk_.offsets.data());
        continue;
      }
      if (!coordinates_.write(walk, count, component, chunk_.coordinates.data())) return false;
      if (coordinates_.may_drop()) forget_nowhere(count);
      add_places(request_.cuts[component++], count);
    }
    if (coordinates_.may_drop()) {
      for (std::int64_t i = 0; i < count; ++i) {
        if (chunk_.nowhere[at(i)]) chunk_.owners[at(i)] = static_cast<std::uint32_t>(request_.owners);
      }
    }
    return true;
  }

  void forget_nowhere(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (chunk_.coordinates[at(i)] != kDroppedOffset) continue;
      chunk_.nowhere[at(i)] = true;
      chunk_.coordinates[at(i)] = 0;
    }
  }

  void add_places(const Cut& cut, std::int64_t count) {
    const std::int64_t* begins = cut.begins();
    const auto blocks = static_cast<std::uint32_t>(cut.count());
    cut.find(chunk_.coordinates.data(), count, chunk_.blocks.data());
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint32_t block = chunk_.blocks[at(i)];
      chunk_.offsets[at(i)] =
          chunk_.offsets[at(i)] * (begins[block + 1] - begins[block]) + chunk_.coordinates[at(i)] - begins[block];
      chunk_.owners[at(i)] = chunk_.owners[at(i)] * blocks + block;
    }
  }

  static std::size_t at(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }

  const Request& request_;
  IndexCoordinates coordinates_;
  std::unique_ptr<RouteChunk> memory_{new RouteChunk};  // uninitialised; too large for small stacks
  RouteChunk& chunk_ = *memory_;
};

}  // namespace strew
