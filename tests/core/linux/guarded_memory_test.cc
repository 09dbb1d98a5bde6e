// Files that become shorter while they are mapped.
#include "core/guarded_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "strew/ops.h"
#include "support/sanitizers.h"

namespace strew {
namespace {

constexpr std::size_t kPages = 64;
constexpr std::size_t kBytes = kPages * 4096;

// A file of ones without a name.
class File {
 public:
  File() : descriptor_(::memfd_create("test", MFD_CLOEXEC)) {
    const std::vector<std::int8_t> ones(kBytes, 1);
    EXPECT_EQ(::write(descriptor_, ones.data(), kBytes), static_cast<ssize_t>(kBytes));
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::span<const std::byte> map() const {
    void* address = ::mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, descriptor_, 0);
    return {static_cast<const std::byte*>(address), kBytes};
  }
  void shrink() const { EXPECT_EQ(::ftruncate(descriptor_, 4096), 0); }

 private:
  int descriptor_;
};

TensorView view_of(const GuardedMemory& memory) {
  return {memory.bytes().data(), DType::kInt8, {static_cast<std::int64_t>(kBytes)}};
}

TEST(GuardedMemory, ReadsZerosWhereTheFileWasCutOffAndKnowsOfIt) {
  const File file;
  const GuardedMemory memory(file.map(), "a.npy");
  EXPECT_TRUE(check_intact("gather", "data", view_of(memory)));
  file.shrink();
  EXPECT_EQ(memory.bytes()[0], std::byte{1});
  EXPECT_EQ(memory.bytes()[5000], std::byte{0});
  EXPECT_EQ(memory.bytes()[kBytes - 1], std::byte{0});
  const Status intact = check_intact("gather", "data", view_of(memory));
  ASSERT_FALSE(intact);
  EXPECT_EQ(intact.error().code, ErrorCode::kIo);
  EXPECT_EQ(
      intact.error().message(),
      "gather: data lies in the file 'a.npy', which became shorter while it was mapped; the output is not to "
      "be used");
}

TEST(GuardedMemory, ForgetsAFileThatIsMappedNoMore) {
  const File file;
  { const GuardedMemory memory(file.map(), "old"); }
  const File other;
  const GuardedMemory memory(other.map(), "new");
  EXPECT_TRUE(check_intact("gather", "data", view_of(memory)));
}

TEST(GuardedMemory, MakesACallOnAShrunkFileAnError) {
  const File file;
  const GuardedMemory memory(file.map(), "a.npy");
  file.shrink();
  const std::vector<std::int64_t> indices = {0, 200'000};
  const auto result = gather(view_of(memory), TensorView(indices.data(), DType::kInt64, {2}));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kIo);
}

TEST(GuardedMemory, HoldsForManyThreadsThatMapAndLoseFilesAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) {
        const File file;
        const GuardedMemory memory(file.map(), "a");
        file.shrink();
        EXPECT_EQ(memory.bytes()[kBytes - 1], std::byte{0});
        EXPECT_FALSE(check_intact("gather", "data", view_of(memory)));
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(GuardedMemory, WorksInAChildThatWasMadeWhileOthersMapFiles) {
#if STREW_TSAN
  GTEST_SKIP() << "ThreadSanitizer ends a child of a process with threads";
#endif
  std::atomic<bool> done = false;
  std::thread other([&done] {
    const File file;
    while (!done) const GuardedMemory memory(file.map(), "a");
  });
  const File file;
  file.shrink();
  for (int i = 0; i < 50; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(20);  // a hang ends the child with a signal
      const GuardedMemory memory(file.map(), "b");
      const bool zero = memory.bytes()[kBytes - 1] == std::byte{0};
      ::_exit(zero && !check_intact("gather", "data", view_of(memory)) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << i;
    if (status != 0) break;
  }
  done = true;
  other.join();
}

TEST(GuardedMemory, LeavesTheFilesOfOthersAlone) {
  const File guarded;
  const GuardedMemory memory(guarded.map(), "a");
  EXPECT_EXIT(
      {
        const File file;
        const auto bytes = file.map();
        file.shrink();
        std::exit(bytes[5000] == std::byte{0} ? 0 : 1);
      },
      [](int status) { return status != 0; }, "")  // the signal, or a sanitizer's report of it
      << "it was given zeros";
}

TEST(GuardedMemory, PassesOnToTheHandlerThatWasThereBefore) {
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, [](int) { std::_Exit(7); });
        const File guarded;
        const GuardedMemory memory(guarded.map(), "a");
        const File file;
        const auto bytes = file.map();
        file.shrink();
        std::exit(bytes[5000] == std::byte{0} ? 0 : 1);
      },
      testing::ExitedWithCode(7), "");
}

// Maps a file as Strew does, which sets its handler where it is not in front.
void guard_a_file() {
  const File file;
  const GuardedMemory memory(file.map(), "a");
}

// What no handler of Strew's guards.
void read_a_lost_page() {
  const File file;
  const auto bytes = file.map();
  file.shrink();
  const volatile std::byte* const lost = &bytes[5000];
  static_cast<void>(*lost);
}

// The handlers of somebody else that remembers what was there before and hands a signal on to it.
struct sigaction remembered {};
int others_calls = 0;

void count_call() {
  if (++others_calls > 3) std::_Exit(9);  // would go on for ever
}
void call_remembered(int signal, siginfo_t* info, void* context) {
  count_call();
  if ((remembered.sa_flags & SA_SIGINFO) != 0) return remembered.sa_sigaction(signal, info, context);
  ::signal(signal, SIG_DFL);
}
void restore_remembered(int signal, siginfo_t* /*info*/, void* /*context*/) {
  count_call();
  ::sigaction(signal, &remembered, nullptr);
}
void restore_remembered_and_raise(int signal, siginfo_t* /*info*/, void* /*context*/) {  // faulthandler's way
  count_call();
  ::sigaction(signal, &remembered, nullptr);
  ::raise(signal);
}

void set_others(void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  ASSERT_EQ(::sigaction(SIGBUS, &action, &remembered), 0);
}

class HandlersOfOthersDeathTest
    : public testing::TestWithParam<std::tuple<void (*)(int, siginfo_t*, void*), int>> {};

TEST_P(HandlersOfOthersDeathTest, AreCalledOnceBetweenTwoOfStrewsBeforeTheProcessEnds) {
  const auto [handler, flags] = GetParam();
  for (const bool first : {false, true}) {
    for (const bool again : {false, true}) {
      EXPECT_EXIT(
          {
            std::signal(SIGBUS, SIG_DFL);
            if (first) guard_a_file();
            set_others(handler, flags);
            if (again) guard_a_file();
            read_a_lost_page();
          },
          testing::KilledBySignal(SIGBUS), "")
          << first << again;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(GuardedMemory, HandlersOfOthersDeathTest,
                         testing::Combine(testing::Values(call_remembered, restore_remembered,
                                                          restore_remembered_and_raise),
                                          testing::Values(0, SA_NODEFER)));

TEST(GuardedMemory, PassesOnOnceToAHandlerThatWasSetForOneSignal) {
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_DFL);
        set_others([](int, siginfo_t*, void*) { count_call(); }, static_cast<int>(SA_RESETHAND));
        guard_a_file();
        read_a_lost_page();
      },
      testing::KilledBySignal(SIGBUS), "");
}

TEST(GuardedMemory, PassesOnEverySignalToAHandlerThatMendsWhatFailed) {
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_DFL);
        guard_a_file();
        const auto mend = [](int, siginfo_t* info, void*) {
          count_call();
          const auto page = reinterpret_cast<std::uintptr_t>(info->si_addr) / 4096 * 4096;
          ::mmap(reinterpret_cast<void*>(page), 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        };
        set_others(mend, 0);
        guard_a_file();
        read_a_lost_page();
        read_a_lost_page();
        std::_Exit(others_calls == 2 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(GuardedMemory, LetsASignalThatWasSentEndTheProcessOrBeIgnored) {
  for (const auto& [before, end] : {std::pair{SIG_DFL, SIGBUS}, std::pair{SIG_IGN, 0}}) {
    EXPECT_EXIT(
        {
          std::signal(SIGBUS, before);
          guard_a_file();
          ::raise(SIGBUS);
          std::_Exit(0);
        },
        [end = end](int status) { return WIFSIGNALED(status) ? WTERMSIG(status) == end : end == 0; }, "");
  }
}

TEST(GuardedMemory, GuardsAgainHoweverOftenOthersSetTheirHandlerOverItAndTakeItAway) {
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_DFL);
        guard_a_file();
        for (int i = 0; i < 100; ++i) {
          set_others(restore_remembered_and_raise, 0);
          const File file;
          const GuardedMemory memory(file.map(), "a");
          file.shrink();
          if (memory.bytes()[kBytes - 1] != std::byte{0}) std::_Exit(1);
          ::sigaction(SIGBUS, &remembered, nullptr);
        }
        read_a_lost_page();
      },
      testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace strew
