// Draws a call of `strew op`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "console.h"
#include "strew/operators.h"
#include "strew/tensor.h"

namespace strew::app {

/// Rejects a file name that is not a picture's, before any work is done.
Status check_picture(const std::string& file);

/// Draws the call into a file; `refusal` is the error if there is no result.
Status save_picture(const OpOptions& options, const OperatorVersion& op, const std::vector<Tensor>& operands,
                    const std::optional<Error>& refusal);

}  // namespace strew::app
