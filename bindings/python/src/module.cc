// The module strew._strew.
#include "array_kind.h"
#include "models.h"
#include "ops.h"
#include "threads.h"

NB_MODULE(_strew, module) {
  using namespace strew::python;
  using nb::literals::operator""_a;
  import_numpy();
  module.attr("__version__") = STREW_VERSION;
  add_operators(module);
  // Functions travel to other processes by name.
  nb::module_::import_("copyreg").attr("pickle")(
      module.attr("gather").type(),
      nb::cpp_function([](nb::handle function) { return function.attr("__name__"); }));
  add_models(module);
  module.def("_set_thread_count", &set_thread_count, "count"_a);
  module.def("_exchange_own_thread_count", &exchange_own_thread_count, "count"_a);
  module.def("get_num_threads", &thread_count,
             "How many threads the calling thread's next call may use.\n\n"
             "All processors that the process may use, unless `set_num_threads` or `num_threads` said otherwise.");
}
