// The whole program as one function, and the commit of its source.
#pragma once

namespace strew::app {

/// Runs the command line `argv` (argv[0] is the program's name) on this process's streams and returns the exit
/// code. Throws nothing.
int run_program(int argc, const char* const* argv) noexcept;

extern const char* const kCommit;  // 40 hexadecimal digits; empty if unknown

}  // namespace strew::app
