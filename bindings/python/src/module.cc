// The module strew._strew.
#include <nanobind/stl/vector.h>

#include <csignal>
#include <vector>

#include "array_kind.h"
#include "call.h"
#include "explain.h"
#include "models.h"
#include "ops.h"
#include "program.h"
#include "strew/memory.h"
#include "threads.h"

namespace {

// The signals act as in a program of its own: Python ignores SIGPIPE, and would see Ctrl-C only at the end.
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
  using nb::literals::operator""_a;
  import_numpy();
  module.attr("__version__") = STREW_VERSION;
  add_operators(module);
  add_models(module);
  module.def("_run_program", &run_program, "arguments"_a);
  module.def("_set_thread_count", &set_thread_count, "count"_a);
  module.def("_exchange_own_thread_count", &exchange_own_thread_count, "count"_a);
  module.def("_set_memory_cache_limit", &strew::set_memory_cache_limit, "bytes"_a);
  module.def("memory_cache_limit", &strew::memory_cache_limit,
             "How many bytes of memory may be kept for later results; see `set_memory_cache_limit`.");
  module.def("memory_cache_bytes", &strew::memory_cache_bytes,
             "How many bytes of memory are kept now; see `set_memory_cache_limit`.");
  module.def("release_memory_cache", &strew::release_memory_cache,
             "Give all memory that is kept for later results back to the operating system.");
  module.def("_explain", &explain_call, "function"_a, "arguments"_a, "attributes"_a);
  module.def("_set_scratch_limit", &set_scratch_limit, "bytes"_a);
  module.def("scratch_limit", &scratch_limit,
             "How many bytes of memory a call may work in; see `set_scratch_limit`.");
  module.def("get_num_threads", &thread_count,
             "How many threads the calling thread's next call may use.\n\n"
             "All processors that the process may use, unless `set_num_threads` or `num_threads` said otherwise.");
}
