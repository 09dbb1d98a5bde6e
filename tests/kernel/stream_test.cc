// Streaming copies: every alignment and length, and not a byte more.
#include "kernel/stream.h"

#include <gtest/gtest.h>

#include <vector>

namespace strew {
namespace {

TEST(StreamCopy, CopiesExactlyItsBytesAtAnyAlignment) {
  for (std::size_t to = 0; to < 65; to += 7) {
    for (std::size_t from = 0; from < 65; from += 9) {
      for (std::size_t bytes : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 500u}) {
        std::vector<std::byte> source(700);
        std::vector<std::byte> target(700, std::byte{0xEE});
        for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 + 1);
        std::vector<std::byte> expected = target;
        std::copy_n(source.begin() + from, bytes, expected.begin() + to);
        stream_copy()(target.data() + to, source.data() + from, static_cast<std::int64_t>(bytes));
        stream_fence();
        ASSERT_EQ(target, expected) << "to " << to << " from " << from << " bytes " << bytes;
      }
    }
  }
}

}  // namespace
}  // namespace strew
