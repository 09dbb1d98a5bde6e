// Request: shards and index values that were found to fit each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/loop_nest.h"
#include "shard/cut.h"
#include "strew/shard.h"

namespace strew {

/// Shards and indices that fit each other.
struct Request {
  const Shards& shards;
  DType dtype;
  const std::byte* indices;
  Shape shape;  // of the positions
  LoopNest<1> loop;
  std::int64_t component_stride = 0;
  std::vector<Cut> cuts;
  std::int64_t count = 0;  // of positions
  std::int64_t owners = 0;
};

/// Rejects cuts, types and shapes that do not fit each other. Both must outlive the request.
Result<Request> check_request(const Shards& shards, const TensorView& indices);

}  // namespace strew
