// Tests executors of a build without threads: all tasks run on the calling thread.
#include <gtest/gtest.h>

#include "strew/executor.h"
#include "support/refusal.h"

namespace strew {
namespace {

TEST(PlainThreadPool, OfOneThreadRunsTasksInTheirOrder) {
  const auto pool = make_thread_pool(1).value();
  EXPECT_EQ(pool->thread_count(), 1);
  EXPECT_EQ(default_executor().thread_count(), 1);
  std::int64_t digits = 0;
  pool->run([](void* to,
               std::int64_t i) { *static_cast<std::int64_t*>(to) *= 10, *static_cast<std::int64_t*>(to) += i; },
            &digits, 4);
  EXPECT_EQ(digits, 123);
}

TEST(PlainThreadPool, OfMoreThreadsIsRejected) {
  expect_refused(make_thread_pool(2), ErrorCode::kUnsupported,
                 "thread pool: 2 threads; this build of the library uses only the calling thread");
}

}  // namespace
}  // namespace strew
