// Checks of types and shapes of the operands of gather_scatter.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "graph/edge_lists.h"
#include "strew/error.h"
#include "strew/gather_scatter.h"
#include "strew/shape.h"
#include "strew/view.h"

namespace strew {

/// Returns a shape without its first axis.
Shape row_shape(const Shape& shape);

/// Checks type and shape of data, which must have `source_size` rows.
Status check_data(const TensorView& data, std::int64_t source_size);
Status check_params(const GatherScatterParams& params, DType dtype, bool winners);
/// Checks type and shape of an output or another argument in the shape of the result.
Status check_result(std::string_view name, const TensorView& view, DType dtype, const Shape& shape);
/// Returns an error if a target has more edges than winners and tie shares can count in 4 bytes.
Status check_degrees(std::string_view name, const SortedEdges& edges);
Status check_overlap(std::string_view written, const TensorView& output, std::string_view name,
                     const std::optional<TensorView>& operand);

}  // namespace strew
