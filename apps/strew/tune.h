// strew tune, as a function of what other programs do.
#pragma once

#include <functional>
#include <optional>

#include "commands.h"

namespace strew::app {

/// Processors that others keep busy, since the measurement began; nothing where that is not known.
using Others = std::function<std::optional<double>()>;

/// Measures `rounds` times, prints and writes the numbers. Busy others are an error before and after.
Result<int> tune(const TuneOptions& options, int rounds, const Others& others);

}  // namespace strew::app
