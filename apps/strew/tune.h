// strew tune as a function of the load of other programs.
#pragma once

#include <functional>
#include <optional>

#include "commands.h"

namespace strew::app {

/// Processors that other programs have kept busy since the start of the measurement; nullopt if unknown.
using Others = std::function<std::optional<double>()>;

/// Measures `rounds` times, prints and writes the parameters. Fails if other programs are busy before or after.
Result<int> tune(const TuneOptions& options, int rounds, const Others& others);

}  // namespace strew::app
