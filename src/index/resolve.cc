// Reads index values for use.
#include "index/resolve.h"

namespace strew {

IndexResolver::IndexResolver(DType dtype, const void* indices, std::int64_t component_stride,
                             const Components& components, std::atomic<bool>* any_out_of_bounds)
    : indices_(static_cast<const std::byte*>(indices)),
      dtype_(dtype),
      width_(bit_width(dtype) / 8),
      component_stride_(component_stride),
      components_(components),
      loops_(&index_loops(dtype)),
      resolve_(loops_->resolve),
      any_out_of_bounds_(any_out_of_bounds) {}

}  // namespace strew
