// Errors, and what a check of a model found, for JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "strew/error.h"
#include "strew/model.h"

namespace strew::app {

using Json = nlohmann::ordered_json;

/// {"code": "index out of range", "message": "..."}
Json error_json(const Error& error);

/// What `strew check --json` prints of the model that goes by this name.
Json report_json(const std::string& name, const Model& model, const CheckReport& report);

}  // namespace strew::app
