// The whole program as one function.
#pragma once

namespace strew::app {

/// Runs the command line `argv` (argv[0] is the program's name) on this process's streams and returns the exit
/// code. Throws nothing.
int run_program(int argc, const char* const* argv) noexcept;

}  // namespace strew::app
