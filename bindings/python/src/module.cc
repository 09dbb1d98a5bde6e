// The module strew._strew.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "call.h"
#include "device_call.h"
#include "operator_call.h"
#include "operator_page.h"
#include "program.h"
#include "strew/memory.h"
#include "strew/operators.h"
#include "strew/version.h"

namespace {

// Runs the command `strew` with default signal handlers: Python ignores SIGPIPE and would handle Ctrl-C only at
// the end.
int run_program(const std::vector<nb::bytes>& arguments) {
  std::vector<const char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const nb::bytes& argument : arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  if (std::signal(SIGINT, SIG_DFL) == SIG_IGN) std::signal(SIGINT, SIG_IGN);
  const strew::python::LockReleased released;
  return strew::app::run_program(static_cast<int>(arguments.size()), argv.data());
}

}  // namespace

NB_MODULE(_strew, module) {
  using namespace strew::python;
#ifdef NDEBUG
  // Daemon threads and PyTorch's compilers keep objects until the process exits, which is not a leak.
  nb::set_leak_warnings(false);
#endif
  import_numpy();
  module.attr("__version__") = strew::version();
  module.attr("__commit__") = strew::app::kCommit;
  add_operators(module);
  module.def("_operator_table", &strew::app::table_json);
  module.def(
      "_operator_page",
      [](const std::string& op_type, std::int64_t opset) {
        return strew::app::page_text(**strew::find_operator(op_type, opset));
      },
      "op_type"_a, "opset"_a);
  add_models(module);
  add_shards(module);
  add_small_functions(module);
  add_device(module);
  add_checked_indices(module);
  add_edges(module);
  add_graph(module);
  add_planned_calls(module);
  module.def("_with_verb", &with_verb, "operand"_a, "verb"_a);
  module.def("_run_program", &run_program, "arguments"_a);
  module.def("_set_thread_count", &set_thread_count, "count"_a);
  module.def("_exchange_own_thread_count", &exchange_own_thread_count, "count"_a);
  module.def("_set_memory_cache_limit", &strew::set_memory_cache_limit, "bytes"_a);
  module.def("_memory_cache_limit", &strew::memory_cache_limit);
  module.def("_memory_cache_bytes", &strew::memory_cache_bytes);
  module.def("_release_memory_cache", &strew::release_memory_cache);
  module.def("_explain", &explain_call, "function"_a, "arguments"_a, "attributes"_a);
  module.def("_picture", &picture_call, "function"_a, "arguments"_a, "attributes"_a, "title"_a);
  module.def("_set_scratch_limit", &set_scratch_limit, "bytes"_a);
  module.def("_scratch_limit", &scratch_limit);
  module.def("_thread_count", &thread_count);
}
