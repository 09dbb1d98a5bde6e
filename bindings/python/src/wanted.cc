// Calls of operators that give something else than a result.
#include "wanted.h"

#include <utility>

namespace strew::python {

Wanted& wanted() noexcept {
  thread_local Wanted what;
  return what;
}

void call_for(Wanted what, nb::handle function, const nb::tuple& arguments, const nb::dict& attributes) {
  struct Scope {
    explicit Scope(Wanted now) : before(std::exchange(wanted(), now)) {}
    ~Scope() { wanted() = before; }
    Wanted before;
  };
  const Scope scope(what);
  function(*arguments, **attributes);
}

}  // namespace strew::python
