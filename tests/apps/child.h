// The built program as a child process.
#pragma once

#include <string>
#include <vector>

namespace strew::app {

struct Ended {
  int code = -1;  ///< the exit code; -1 where a signal ended it
  std::string out;
  std::string err;
};

/// Runs the program with these arguments and this on standard input, and waits for its end.
Ended run_program(const std::vector<std::string>& arguments, const std::string& input = "");

/// Expects this exit code, nothing on standard output, and one line "strew: ..." with this text on standard error.
void expect_refused(const std::vector<std::string>& arguments, const std::string& reason, int code = 2);

}  // namespace strew::app
