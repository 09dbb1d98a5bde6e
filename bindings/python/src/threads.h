// Sets the number of threads that calls from Python use.
#pragma once

#include <memory>

#include "strew/executor.h"

namespace strew::python {

/// Returns the executor for the calling thread's next call; nullptr: the default. Keep it until the call ends.
std::shared_ptr<Executor> current_executor();

/// Sets the count for all threads of the process; 0: the default. Raises ValueError for an invalid number.
void set_thread_count(int count);
/// Sets the count for the calling thread alone; 0: as for the process. Returns the previous count.
int exchange_own_thread_count(int count);
/// Returns the thread count of the calling thread's next call.
int thread_count();

}  // namespace strew::python
