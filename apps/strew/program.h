// The whole program as one function.
#pragma once

namespace strew::app {

/// Runs the command line `argv` (argv[0] is the program's name) on this process's streams; returns the exit code.
/// Nothing is thrown.
int run_program(int argc, const char* const* argv) noexcept;

}  // namespace strew::app
