// Request: validated shards and index values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/loop_nest.h"
#include "shard/cut.h"
#include "strew/shard.h"

namespace strew {

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

/// Makes a request; rejects cuts, types and shapes that do not match. Both arguments must outlive it.
Result<Request> check_request(const Shards& shards, const TensorView& indices);

}  // namespace strew
