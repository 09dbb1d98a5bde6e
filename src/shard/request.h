// Search for blocks along an axis, and requests: validated shards and indices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/loop_nest.h"
#include "strew/shard.h"

namespace strew {

/// The first blocks of a bucket. A bucket is a range of 2^shift_ positions of an axis.
struct CutBucket {
  std::int32_t block;                ///< block of the first position
  std::array<std::int32_t, 3> ends;  ///< ends of that block and of the next two
};

/// Blocks of any lengths along one axis.
class Cut {
 public:
  /// `cuts` begin with 0, do not decrease, and must outlive this object.
  explicit Cut(std::span<const std::int64_t> cuts);

  std::int64_t extent() const noexcept { return cuts_.back(); }
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(cuts_.size()) - 1; }
  const std::int64_t* begins() const noexcept { return cuts_.data(); }

  /// Writes the block of each position. Positions are in [0, extent); 0 is also allowed if the extent is 0.
  void find(const std::int64_t* positions, std::int64_t count, std::uint32_t* blocks) const noexcept;

 private:
  void find_reciprocal() noexcept;
  void fill_table();

  std::span<const std::int64_t> cuts_;
  std::uint64_t reciprocal_ = 0;  // (2^32 - 1) / block length; 0 if blocks other than the last differ
  int shift_ = 0;                 // log2 of the positions of a bucket
  std::vector<CutBucket> table_;  // the buckets, then a sentinel with the last block
};

/// Validated shards and indices.
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

}  // namespace strew
