// Runs a command and returns the exit code of the program.
#include "program.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>

#include "commands.h"

namespace strew::app {
namespace {

int run(int argc, const char* const* argv) {
  const Parsed parsed = parse_command_line(argc, argv);
  if (!parsed.command) return parsed.exit_code;
  const Result<int> code = std::visit([](const auto& options) { return run_command(options); }, *parsed.command);
  return code ? *code : report_error(code.error(), wants_json(argc, argv));
}

// Reports a failure that is not an Error of the library: an exception, or a failed write to standard output.
int report_fault(const std::string& what, bool json) {
  say(fmt::format("strew: {}\n", one_line(what, kLongestLine)));
  if (json) print_json({{"error", {{"code", "fault"}, {"message", what}}}});
  std::fflush(stdout);
  return kFault;
}

// Opens /dev/null for each closed standard stream, so that output fails instead of reaching a file opened later.
void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) == -1) static_cast<void>(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
}

}  // namespace

int run_program(int argc, const char* const* argv) noexcept try {
  keep_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // makes a write beyond the file size limit fail
  try {
    const int code = run(argc, argv);
    const auto written = finish_output();
    return written || code != kSuccess ? code : report_fault(written.error().message(), false);
  } catch (const std::bad_alloc&) {
    return report_error({ErrorCode::kOutOfMemory, "out of memory"}, wants_json(argc, argv));
  } catch (const std::system_error& fault) {  // from fmt, if a write to standard output fails
    return report_fault("standard output: " + fault.code().message(), false);
  } catch (const std::exception& fault) {
    return report_fault(fault.what(), wants_json(argc, argv));
  }
} catch (...) {  // nothing can be reported any more
  return kFault;
}

}  // namespace strew::app
