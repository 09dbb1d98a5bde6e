// How many threads calls from Python use.
#pragma once

#include <memory>

#include "strew/executor.h"

namespace strew::python {

/// Returns the executor for the calling thread's next call, which must outlive the call; nullptr: the default.
std::shared_ptr<Executor> current_executor();

/// Sets the count for all threads of the process; 0: the default. Raises ValueError for an invalid number.
void set_thread_count(int count);
/// For the calling thread alone, until it is set to 0. Returns what was set before.
int exchange_own_thread_count(int count);
/// Returns the thread count of the calling thread's next call.
int thread_count();

}  // namespace strew::python
