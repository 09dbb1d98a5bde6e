// Converts elements, errors and reports of model checks to JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/model.h"

namespace strew::app {

using Json = nlohmann::ordered_json;

/// Maximum number of bytes of a message that are shown.
inline constexpr std::size_t kLongestLine = 4000;

/// Returns {"code": "index out of range", "message": "...", "operator": "scatter_nd", "operand": "indices",
/// "axis": 0, "position": [1, 0], "value": 7, "where": null}. Fields that do not apply are null.
Json error_json(const Error& error);

/// Counts, by operator, the gathers and scatters with an input of unknown rank. If only an output
/// of a node has unknown rank, the node is counted only if it has no violation.
std::vector<OtherOperator> unknown_operators(const CheckReport& report);

/// Returns the output of `strew check --json` for the model, with `name` as "model".
Json report_json(const std::string& name, const Model& model, const CheckReport& report);

/// Returns element `i`: a number, a boolean, a string, or [real, imaginary]; NaN and infinities are strings.
nlohmann::ordered_json element_json(DType dtype, const void* data, std::int64_t i);

}  // namespace strew::app
