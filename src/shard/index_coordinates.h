// Converts index values to positions on the axes that they address, by the rules of a request.
#pragma once

#include <cstdint>
#include <optional>

#include "core/loop_nest.h"
#include "index/rules.h"
#include "shard/request.h"
#include "strew/shard.h"

namespace strew {

class IndexCoordinates {
 public:
  explicit IndexCoordinates(const Request& request);

  /// True if the rules reject nothing and may give kDroppedOffset.
  bool may_drop() const noexcept { return may_drop_; }

  /// Writes the positions on an axis of `count` values, starting at `walk`. Returns false if one is rejected.
  bool write(LoopWalk<1> walk, std::int64_t count, std::size_t component, std::int64_t* coordinates) const;

  /// The first of `count` positions from `begin` on with a rejected value. There must be one.
  BadIndex first_bad(std::int64_t begin, std::int64_t count) const;

  /// Clip and wrap reject all values on an axis without positions.
  std::optional<BadIndex> nowhere_to_go() const;

 private:
  bool write_run(std::int64_t first, std::int64_t count, std::size_t component, std::int64_t* coordinates) const;

  const Request& request_;
  std::int64_t width_;
  bool may_drop_;
  ResolveByRules resolve_;
};

}  // namespace strew
