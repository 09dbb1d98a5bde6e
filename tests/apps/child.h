// Runs the built program as a child process.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace strew::app {

using Words = std::vector<std::string>;

Words joined(Words words, const Words& more);

struct Ended {
  int code = -1;  ///< the exit code; -1 if a signal ended the program
  std::string out;
  std::string err;
};

/// Runs the program with these arguments and `input` on standard input, and waits for its end.
Ended run_program(const Words& arguments, const std::string& input = "");

/// Expects this exit code and returns the standard output.
std::string output_of(const Words& arguments, int code = 0);

/// Returns the parsed standard output with --json, for any exit code.
nlohmann::json json_of(const Words& arguments);

/// Expects this exit code, nothing on standard output, and one line "strew: ..." with this text on standard error.
void expect_refused(const Words& arguments, const std::string& reason, int code = 2);

}  // namespace strew::app
