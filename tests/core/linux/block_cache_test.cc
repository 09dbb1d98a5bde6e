// Tests the cache of large blocks: which blocks are reused, and when blocks are released.
#include "core/linux/block_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "strew/memory.h"
#include "strew/tensor.h"
#include "support/sanitizers.h"

namespace strew {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(BlockCache, ReusesABlockOfTheSameSize) {
  BlockCache cache(64 * kMiB);
  void* first = cache.take(5 * kMiB + 1);
  void* second = cache.take(5 * kMiB + 1);
  EXPECT_NE(first, second);
  EXPECT_EQ(cache.kept_bytes(), 0u);
  EXPECT_TRUE(cache.give(first));
  EXPECT_GE(cache.kept_bytes(), 5 * kMiB + 1);
  EXPECT_EQ(cache.take(5 * kMiB + 1), first);
  EXPECT_EQ(cache.kept_bytes(), 0u);
  EXPECT_TRUE(cache.give(second));
  EXPECT_TRUE(cache.give(first));
}

TEST(BlockCache, ReusesTheBestFitAndWastesAtMostAQuarter) {
  BlockCache cache(256 * kMiB);
  void* large = cache.take(32 * kMiB);
  void* medium = cache.take(20 * kMiB);
  cache.give(large);
  cache.give(medium);
  void* fitting = cache.take(17 * kMiB);
  EXPECT_EQ(fitting, medium);
  void* small = cache.take(16 * kMiB);
  EXPECT_NE(small, large) << "half of it would be wasted";
  cache.give(fitting);
  cache.give(small);
}

TEST(BlockCache, KeepsNoMoreThanTheLimitAndReleasesTheOldestFirst) {
  BlockCache cache(10 * kMiB);
  std::vector<void*> blocks;
  for (int i = 0; i < 3; ++i) blocks.push_back(cache.take(4 * kMiB));
  for (void* block : blocks) cache.give(block);
  EXPECT_EQ(cache.kept_bytes(), 8 * kMiB);
  EXPECT_EQ(cache.take(4 * kMiB), blocks[2]);
  EXPECT_EQ(cache.take(4 * kMiB), blocks[1]);
  EXPECT_EQ(cache.kept_bytes(), 0u);
  void* huge = cache.take(11 * kMiB);
  cache.give(blocks[1]);
  cache.give(huge);
  EXPECT_EQ(cache.kept_bytes(), 4 * kMiB) << "a block above the limit releases no other block";
  cache.set_limit(0);
  EXPECT_EQ(cache.kept_bytes(), 0u);
  cache.give(blocks[2]);
  EXPECT_EQ(cache.kept_bytes(), 0u);
}

TEST(BlockCache, KeepsLessIfMoreIsInUse) {
  BlockCache cache(16 * kMiB, 24 * kMiB);
  void* first = cache.take(8 * kMiB);
  void* second = cache.take(8 * kMiB);
  cache.give(first);
  cache.give(second);
  EXPECT_EQ(cache.kept_bytes(), 16 * kMiB);
  void* large = cache.take(12 * kMiB);
  EXPECT_EQ(cache.kept_bytes(), 8 * kMiB);
  EXPECT_EQ(cache.take(8 * kMiB), second) << "the oldest was released";
  void* huge = cache.take(32 * kMiB);
  cache.give(second);
  EXPECT_EQ(cache.kept_bytes(), 0u);
  cache.give(huge);
  cache.give(large);
  EXPECT_EQ(cache.kept_bytes(), 12 * kMiB);
}

TEST(BlockCache, ReleasesBlocksThatWereNotReused) {
  BlockCache cache(16 * kMiB);
  void* block = cache.take(4 * kMiB);
  cache.give(block);
  cache.trim_unused(std::chrono::hours(1));
  EXPECT_EQ(cache.kept_bytes(), 4 * kMiB);
  EXPECT_EQ(cache.take(4 * kMiB), block);
  cache.trim_unused(std::chrono::nanoseconds(0));
  EXPECT_TRUE(cache.give(block)) << "a block in use is not trimmed";
  cache.trim_unused(std::chrono::nanoseconds(0));
  EXPECT_EQ(cache.kept_bytes(), 0u);
}

TEST(BlockCache, AcceptsOnlyItsOwnBlocksAndOnlyOnce) {
  BlockCache cache(16 * kMiB);
  int other = 0;
  EXPECT_FALSE(cache.give(&other));
  void* block = cache.take(kMiB);
  EXPECT_TRUE(cache.give(block));
  EXPECT_FALSE(cache.give(block));
  EXPECT_THROW(cache.take(SIZE_MAX), std::bad_alloc);
}

// Every thread fills its blocks with its mark, and expects the mark there later.
TEST(BlockCache, NeverReusesABlockInUse) {
  BlockCache cache(24 * kMiB);
  const auto work = [&cache](unsigned char mark) {
    std::mt19937 random(mark);
    std::vector<std::pair<unsigned char*, std::size_t>> held;
    for (int i = 0; i < 300; ++i) {
      if (held.size() < 4 && random() % 2 == 0) {
        const std::size_t bytes = kMiB + random() % (3 * kMiB);
        auto* memory = static_cast<unsigned char*>(cache.take(bytes));
        for (std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1}) memory[at] = mark;
        held.emplace_back(memory, bytes);
      } else if (!held.empty()) {
        std::swap(held[random() % held.size()], held.back());
        const auto [memory, bytes] = held.back();
        for (std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1}) ASSERT_EQ(memory[at], mark);
        ASSERT_TRUE(cache.give(memory));
        held.pop_back();
      }
    }
    for (const auto& [memory, bytes] : held) cache.give(memory);
  };
  std::vector<std::thread> threads;
  for (unsigned char mark = 1; mark <= 4; ++mark) threads.emplace_back(work, mark);
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(cache.kept_bytes(), 24 * kMiB);
}

TEST(MemoryCache, ServesTensorsAndIsReleasedOnRequest) {
  release_memory_cache();
  const std::int64_t limit = memory_cache_limit();
  EXPECT_EQ(limit, std::min(usable_memory() / 8, std::int64_t{1} << 30));
  const void* address = nullptr;
  {
    const Tensor tensor = Tensor::uninitialized(DType::kFloat32, {1 << 20}).value();
    address = tensor.data();
    EXPECT_EQ(memory_cache_bytes(), 0);
  }
  EXPECT_GE(memory_cache_bytes(), 1 << 22);
  Tensor again = Tensor::uninitialized(DType::kFloat32, {1 << 20}).value();
  EXPECT_EQ(again.data(), address);
  std::memset(again.mutable_data(), 0xff, 1 << 22);
  again = Tensor();
  const Tensor zeros = Tensor::zeros(DType::kFloat32, {1 << 20}).value();
  const auto values = zeros.values<float>();
  EXPECT_TRUE(std::ranges::all_of(values, [](float value) { return value == 0; }));
  release_memory_cache();
  EXPECT_EQ(memory_cache_bytes(), 0);
  set_memory_cache_limit(0);
  Tensor::uninitialized(DType::kFloat32, {1 << 20}).value();
  EXPECT_EQ(memory_cache_bytes(), 0);
  set_memory_cache_limit(limit);
}

TEST(MemoryCache, KeepsContentsWhenMemoryChangesItsSize) {
  for (std::int64_t from : {std::int64_t{0}, std::int64_t{100}, std::int64_t{3} << 20}) {
    for (std::int64_t to : {std::int64_t{50}, std::int64_t{2} << 20, std::int64_t{9} << 20}) {
      auto* memory = static_cast<unsigned char*>(allocate_memory(from));
      ASSERT_NE(memory, nullptr);
      for (std::int64_t i = 0; i < from; ++i) memory[i] = static_cast<unsigned char>(i % 251);
      memory = static_cast<unsigned char*>(reallocate_memory(memory, to));
      ASSERT_NE(memory, nullptr);
      for (std::int64_t i = 0; i < std::min(from, to); ++i) ASSERT_EQ(memory[i], i % 251);
      memory[to - 1] = 1;
      free_memory(memory);
    }
  }
  free_memory(nullptr);
  EXPECT_EQ(allocate_memory(INT64_MAX), nullptr);
}

TEST(MemoryCache, ChangesSizesInPlaceIfTheBlockIsLargeEnough) {
  void* memory = allocate_memory(4 << 20);
  EXPECT_EQ(reallocate_memory(memory, 3 << 20), memory);
  EXPECT_EQ(reallocate_memory(memory, 4 << 20), memory);
  free_memory(memory);
}

TEST(MemoryCache, WorksInAChildThatIsForkedDuringItsUse) {
#if STREW_TSAN
  GTEST_SKIP() << "ThreadSanitizer ends a child that starts threads";
#endif
  std::atomic<bool> done = false;
  std::thread other([&done] {
    while (!done) free_memory(allocate_memory(2 << 20));
  });
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      void* memory = allocate_memory(2 << 20);
      std::memset(memory, 1, 2 << 20);
      free_memory(memory);
      _exit(memory_cache_bytes() >= 2 << 20 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  done = true;
  other.join();
}

}  // namespace
}  // namespace strew
