// Hashes of tensors.
#include "hash.h"

#include <gtest/gtest.h>

namespace strew::app {
namespace {

TEST(ContentHash, IsFnv1aOfTypeShapeAndElements) {
  // FNV-1a of "uint8 [3]\n" and the bytes 1, 2, 3, by the definition of the function.
  std::uint64_t expected = 0xCBF29CE484222325u;
  for (const unsigned char byte : std::string("uint8 [3]\n\1\2\3")) expected = (expected ^ byte) * 0x100000001B3u;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(expected));
  EXPECT_EQ(content_hash(*Tensor::of<std::uint8_t>({1, 2, 3}, {3})), text);
}

TEST(ContentHash, DependsOnTypeShapeAndValues) {
  const std::string hash = content_hash(*Tensor::of<std::int32_t>({1, 2}, {2}));
  EXPECT_NE(hash, content_hash(*Tensor::of<std::int32_t>({1, 3}, {2})));
  EXPECT_NE(hash, content_hash(*Tensor::of<std::int32_t>({1, 2}, {1, 2})));
  EXPECT_NE(hash, content_hash(*Tensor::of<std::uint32_t>({1, 2}, {2})));
}

TEST(ContentHash, TellsStringsApartThatJoinToTheSame) {
  EXPECT_NE(content_hash(*Tensor::of({"ab", "c"}, {2})), content_hash(*Tensor::of({"a", "bc"}, {2})));
}

TEST(ContentHash, IgnoresUnusedBitsOfAPackedType) {
  const std::uint8_t zero_above[] = {0x21, 0x03};
  const std::uint8_t ones_above[] = {0x21, 0xF3};
  EXPECT_EQ(content_hash(*Tensor::borrow(nullptr, zero_above, DType::kInt4, {3})),
            content_hash(*Tensor::borrow(nullptr, ones_above, DType::kInt4, {3})));
}

}  // namespace
}  // namespace strew::app
