// The program strew: one command, one exit code.
#include <exception>
#include <new>

#include "command_line.h"

namespace strew::app {
namespace {

int run_program(int argc, const char* const* argv) {
  const Parsed parsed = parse_command_line(argc, argv);
  if (!parsed.command) return parsed.exit_code;
  const Result<int> code = std::visit([](const auto& options) { return run_command(options); }, *parsed.command);
  return code ? *code : report_error(code.error(), wants_json(argc, argv));
}

int report_fault(const char* what) {
  fmt::print(stderr, "strew: {}\n", what);
  return kFault;
}

}  // namespace
}  // namespace strew::app

int main(int argc, char** argv) {
  using namespace strew::app;
  try {
    const int code = run_program(argc, argv);
    if (const auto written = finish_output(); !written) {
      report_error(written.error(), false);
      return kFault;
    }
    return code;
  } catch (const std::bad_alloc&) {
    return report_fault("out of memory");
  } catch (const std::exception& fault) {
    return report_fault(fault.what());
  }
}
