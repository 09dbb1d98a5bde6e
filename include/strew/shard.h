// Shards: data cut into blocks that have an owner each, and what index values say brought to the owners. For those
// who work on more data than memory or one machine holds, block by block.
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

/// One of the leading axes of data.
struct ShardAxis {
  /// Of an axis that index values choose a position on: where its blocks begin and the last one ends,
  /// 0 = c0 <= c1 <= ... = its length. A block may be empty.
  std::span<const std::int64_t> cuts = {};
  /// Of any other axis, without cuts: its length in every owner's block. The axis of indices of the same number
  /// moves along with it and is no longer.
  std::int64_t extent = 0;
};

/// How data are cut for one block of indices. Owners are the blocks along all axes that are cut, in row-major
/// order.
///
/// | operator | axes | tuples |
/// | --- | --- | --- |
/// | gather | the axis, cut | no |
/// | gather_nd, scatter_nd | the batch axes, then the k axes that tuples choose on, cut | yes |
/// | gather_elements, scatter_elements | all; the one that is indexed, cut | no |
struct Shards {
  std::span<const ShardAxis> axes;
  /// The last axis of indices runs over the axes that are cut. Else exactly one axis is.
  bool tuples = false;
  IndexRules rules = {};
};

/// The number of owners, and the elements of the largest block along the leading axes; -1 past 2^63 - 1.
std::int64_t owner_count(const Shards& shards) noexcept;
std::int64_t largest_block(const Shards& shards) noexcept;

/// A position is one index value or tuple, counted in row-major order of the block of indices.
struct BadIndex {
  std::int64_t position;
  std::int64_t component;  ///< of its tuple; 0 without tuples
};

/// Lists of positions for each owner, in memory of the caller. Owner j has the entries [bounds[j], bounds[j + 1]),
/// in the order of positions. Positions that kFill and kDrop leave without an owner stand behind the last list.
template <class Offset>
struct Routed {
  std::span<std::int64_t> bounds;      ///< owner_count + 1
  std::span<Offset> offsets;           ///< one for each position: where in the owner's block, row-major
  std::span<std::uint32_t> positions;  ///< one for each position
};

/// Brings the positions of a block of indices to their owners: a stable counting sort, on the calling thread.
/// Indices may be of any integer type and strides, with fewer than 2^32 positions. An index value that the rules
/// refuse is returned, the first in row-major order; the lists are then unspecified. kInvalidArgument where axes,
/// indices and lists do not fit each other, or offsets of the largest block do not fit `Offset`.
[[nodiscard]] Result<std::optional<BadIndex>> route(const Shards& shards, const TensorView& indices,
                                                    const Routed<std::uint32_t>& routed);
[[nodiscard]] Result<std::optional<BadIndex>> route(const Shards& shards, const TensorView& indices,
                                                    const Routed<std::uint64_t>& routed);

/// The same check without lists.
[[nodiscard]] Result<std::optional<BadIndex>> find_bad_index(const Shards& shards, const TensorView& indices);

/// What one block of updates has for an owner: row `values[i]` goes to row `offsets[i]`.
struct ScatterPart {
  TensorView offsets;  ///< [n], integers
  TensorView values;   ///< [n] ++ rows.shape[1:]
};

/// ScatterND-18 of part after part into the rows of an owner's block, in place: with parts in the order of their
/// blocks of updates, the bits of one call with all of them. All parts are checked before the first write; a
/// message counts them from 0. kUnsupported for several parts where a result depends on all updates of an element
/// at once: mean, include_self = false and acc_dtype = float32.
[[nodiscard]] Status scatter_parts(std::span<const ScatterPart> parts, const MutableTensorView& rows,
                                   const ScatterNDParams& params = {}, const Options& options = {});

}  // namespace strew
STREW_API_END
