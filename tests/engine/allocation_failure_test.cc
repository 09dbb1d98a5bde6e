// Memory that is not to be had, at every place where a call asks for some: an error, and an untouched output.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <new>

#include "engine/random_problem.h"
#include "engine/strategies.h"

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
std::int64_t left = kNever;  // allocations that succeed
bool for_good = false;       // all that follow fail too
bool failed = false;         // one did

bool fails() {
  if (left == kNever) return false;
  if (left > 0) {
    --left;
    return false;
  }
  if (!for_good) left = kNever;
  failed = true;
  return true;
}

}  // namespace

// Not inline: compilers would warn of memory from new that free gets.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = fails() ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails() ? nullptr : std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// What blocks of memory are taken with; sanitizers want to see that themselves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" void* mmap(void* address, std::size_t size, int protection, int flags, int file,
                      off_t offset) noexcept {
  if ((flags & MAP_ANONYMOUS) != 0 && fails()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): how the kernel gives an address back
  return reinterpret_cast<void*>(::syscall(SYS_mmap, address, size, protection, flags, file, offset));
}
#endif

namespace strew::support {
namespace {

constexpr std::array kOperators = {OpKind::kGather,          OpKind::kGatherElements, OpKind::kGatherND,
                                   OpKind::kScatterElements, OpKind::kScatterND,      OpKind::kTensorScatter};

// Takes no memory of its own.
class PlainExecutor final : public Executor {
 public:
  explicit PlainExecutor(int thread_count) : thread_count_(thread_count) {}
  int thread_count() const noexcept override { return thread_count_; }
  void run(void (*task)(void*, std::int64_t), void* context, std::int64_t task_count) override {
    for (std::int64_t i = 0; i < task_count; ++i) task(context, i);
  }

 private:
  int thread_count_;
};

// Lets allocation after allocation fail until a call needs no more of them. Returns how many it needed.
std::int64_t fail_each(const Problem& problem, const Options& options, const StridedTensor& before,
                       bool all_later) {
  for (std::int64_t allocation = 0;; ++allocation) {
    StridedTensor output = before;
    const Operands operands = problem.operands();
    const auto plan = make_plan(problem.call, operands);
    const MutableTensorView target = output.mutable_view();
    left = allocation;
    for_good = all_later;
    failed = false;
    const Status status = run(*plan, operands, target, options);
    left = kNever;
    if (!failed) return allocation;
    if (status) continue;  // it found another way
    EXPECT_EQ(status.error().code, ErrorCode::kOutOfMemory) << status.error().message;
    EXPECT_TRUE(before.same_buffer(output)) << "allocation " << allocation << " failed, the output was written to";
    EXPECT_NE(status.error().message.find("memory"), std::string::npos) << status.error().message;
    if (testing::Test::HasFailure()) return allocation;
  }
}

TEST(AllocationFailure, IsAnErrorThatLeavesTheOutputAlone) {
  Random random(41);
  std::int64_t allocations = 0;
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    const OpKind op = random.pick(std::span<const OpKind>(kOperators));
    const Problem problem =
        random_problem(random, op, random.pick({std::int64_t{60}, std::int64_t{700}, std::int64_t{20'000}}));
    // Strings allocate as they are copied, element by element: see docs/semantics.md.
    if (problem.data.view().dtype() == DType::kString) continue;
    SCOPED_TRACE("case " + std::to_string(i) + ": " + describe(problem));
    PlainExecutor executor(random.pick({1, 3}));
    Options options;
    options.executor = &executor;
    if (random.one_in(2)) {
      options.force_strategy = random.pick(strategies()).kind;
    }
    const auto plan = make_plan(problem.call, problem.operands());
    const StridedTensor output(plan->dtype(), plan->output_shape(), dense_layout(plan->output_shape()));
    for (const bool all_later : {false, true}) allocations += fail_each(problem, options, output, all_later);
  }
  EXPECT_GT(allocations, 300) << "hardly anything failed";
}

}  // namespace
}  // namespace strew::support
