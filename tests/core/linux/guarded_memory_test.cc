// Files that become shorter while they are mapped.
#include "core/guarded_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "strew/ops.h"

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
      intact.error().message,
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

}  // namespace
}  // namespace strew
