// How many threads calls from Python use.
#pragma once

#include <memory>

#include "strew/executor.h"

namespace strew::python {

/// The executor for the calling thread's next call, to be held while it runs; nullptr stands for the library's
/// default.
std::shared_ptr<Executor> current_executor();

/// For all threads of the process; 0 stands for the default. Throws ValueError for an impossible number.
void set_thread_count(int count);
/// For the calling thread alone, until it is set to 0. Returns what was set before.
int exchange_own_thread_count(int count);
/// What the calling thread's next call uses.
int thread_count();

}  // namespace strew::python
