#include "core/prefetch.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace strew {
namespace {

TEST(Prefetch, EveryLineThatBytesLieOnIsAskedForAsOftenWhereverTheyBegin) {
  alignas(kCacheLineBytes) static std::array<std::byte, 8 * kCacheLineBytes> memory;
  const auto line_of = [](std::int64_t at) { return at / kCacheLineBytes; };
  for (std::int64_t bytes = 1; bytes <= 5 * kCacheLineBytes; ++bytes) {
    std::set<std::size_t> times;
    for (std::int64_t begin = 0; begin < 2 * kCacheLineBytes; ++begin) {
      std::multiset<std::int64_t> asked;
      for_each_cache_line(memory.data() + begin, bytes,
                          [&](const std::byte* address) { asked.insert(line_of(address - memory.data())); });
      std::set<std::int64_t> expected;
      for (std::int64_t line = line_of(begin); line <= line_of(begin + bytes - 1); ++line) expected.insert(line);
      ASSERT_EQ(std::set(asked.begin(), asked.end()), expected) << bytes << " bytes at " << begin;
      times.insert(asked.size());
    }
    ASSERT_EQ(times.size(), 1) << bytes << " bytes";
  }
}

}  // namespace
}  // namespace strew
