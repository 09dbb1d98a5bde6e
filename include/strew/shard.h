// Shards: data cut into blocks with one owner each, and the routing of index values to the owners.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "strew/error.h"
#include "strew/export.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/view.h"

STREW_API_BEGIN
namespace strew {

/// A leading axis of data.
struct ShardAxis {
  /// For an axis that index values address: the starts of its blocks (from 0, non-decreasing), then its length.
  std::span<const std::int64_t> cuts = {};
  /// For any other axis, which has no cuts: its length in every owner's block. If the axis is axis i of data,
  /// axis i of indices runs along it and is not longer.
  std::int64_t extent = 0;
};

/// The division of data into blocks along all cut axes, for one block of indices. Each block of data has one
/// owner; owners are numbered in row-major order of their blocks.
///
/// | operator | axes | tuples |
/// | --- | --- | --- |
/// | gather | the indexed axis (cut) | no |
/// | gather_nd, scatter_nd | the batch axes, then the k axes that tuples address (cut) | yes |
/// | gather_elements, scatter_elements | all; only the indexed axis is cut | no |
struct Shards {
  std::span<const ShardAxis> axes;
  /// True if the last axis of indices runs over the cut axes; else exactly one axis is cut.
  bool tuples = false;
  IndexRules rules = {};
};

/// Returns the number of owners, or -1 if it does not fit in 64 bits.
std::int64_t owner_count(const Shards& shards) noexcept;
/// Returns the product of the largest block's extents along the leading axes, or -1 if it does not fit in 64 bits.
std::int64_t largest_block(const Shards& shards) noexcept;

/// A rejected index value. A position is the row-major number of a value or tuple in the block of indices.
struct BadIndex {
  std::int64_t position;
  std::int64_t component;  ///< component of its tuple; 0 without tuples
};

/// A list of positions for each owner, in the caller's memory. Owner j has the entries [bounds[j], bounds[j + 1]),
/// in the order of positions. Positions that kFill or kDrop leaves without an owner come after the last list.
template <class Offset>
struct Routed {
  std::span<std::int64_t> bounds;      ///< owner_count + 1
  std::span<Offset> offsets;           ///< row-major offset in the owner's block, one for each position
  std::span<std::uint32_t> positions;  ///< one for each position
};

/// Routes the positions of a block of indices to their owners, by a stable counting sort on the calling thread.
/// Indices have any integer type, any strides, and fewer than 2^32 positions. Returns the first index value in
/// row-major order that the rules reject, if any; the lists are then unspecified. Fails with kInvalidArgument if
/// axes, indices and lists do not match, or if offsets in the largest block do not fit in `Offset`.
[[nodiscard]] Result<std::optional<BadIndex>> route(const Shards& shards, const TensorView& indices,
                                                    const Routed<std::uint32_t>& routed);
[[nodiscard]] Result<std::optional<BadIndex>> route(const Shards& shards, const TensorView& indices,
                                                    const Routed<std::uint64_t>& routed);

/// Returns the same as `route`, but only checks the values and makes no lists.
[[nodiscard]] Result<std::optional<BadIndex>> find_bad_index(const Shards& shards, const TensorView& indices);

/// The updates from one block of indices for one owner: row `values[i]` updates row `offsets[i]` of the owner.
struct ScatterPart {
  TensorView offsets;  ///< [n], integers
  TensorView values;   ///< [n] ++ rows.shape[1:]
};

/// Applies ScatterND-18 with each part in turn to the rows of an owner's block, in place. If parts are in the
/// order of updates, the result has the same bits as after one call with all updates. Checks all parts before the
/// first write; messages count parts from 0. Fails with kUnsupported for more than one part with mean,
/// include_self = false or acc_dtype = float32.
[[nodiscard]] Status scatter_parts(std::span<const ScatterPart> parts, const MutableTensorView& rows,
                                   const CallParams& params = {}, const Options& options = {});

}  // namespace strew
STREW_API_END
