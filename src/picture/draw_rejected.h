// Draws a rejected call as an SVG.
#pragma once

#include <string>
#include <string_view>

#include "strew/error.h"
#include "strew/plan.h"
#include "strew/run.h"

namespace strew::picture {

std::string draw_rejected(OpKind op, const Operands& operands, const Error& error, std::string_view title);

}  // namespace strew::picture
