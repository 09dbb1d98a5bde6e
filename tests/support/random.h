// Random numbers with a fixed seed, and the choices that tests make with them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>

#include "strew/shape.h"

namespace strew::support {

/// Generates the same numbers on every machine: std::mt19937_64 without the standard distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  /// For fuzzers: reads the numbers from these bytes. After the last byte, numbers follow from seed 0.
  explicit Random(std::span<const std::uint8_t> bytes) : bytes_(bytes), engine_(0) {}

  std::uint64_t bits() { return bytes_.empty() ? engine_() : from_bytes(UINT64_MAX); }
  /// A number in [0, count); count must be positive.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(count)));
  }
  /// A number in [lowest, highest].
  std::int64_t between(std::int64_t lowest, std::int64_t highest) {
    // Unsigned, because the count may exceed 2^63. It must be less than 2^64.
    const std::uint64_t count = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest) + 1;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(lowest) + draw(count));
  }
  bool one_in(std::int64_t count) { return below(count) == 0; }

  template <class T>
  T pick(std::span<const T> list) {
    return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
  }
  template <class T>
  T pick(std::initializer_list<T> list) {
    return pick(std::span<const T>(list.begin(), list.size()));
  }

 private:
  std::uint64_t draw(std::uint64_t count) { return (bytes_.empty() ? engine_() : from_bytes(count - 1)) % count; }
  std::uint64_t from_bytes(std::uint64_t highest) {
    std::uint64_t value = 0;
    for (; highest > 0; highest >>= 8) {
      value = value << 8 | (bytes_.empty() ? 0 : bytes_.front());
      bytes_ = bytes_.subspan(bytes_.empty() ? 0 : 1);
    }
    return value;
  }

  std::span<const std::uint8_t> bytes_;
  std::mt19937_64 engine_;
};

/// Returns 0 (rarely), 1, a small number, a prime, or a number near or above 512, the length of a block.
std::int64_t random_dim(Random& random, std::int64_t most);

/// Returns a shape of this rank with at most about `most_elements` elements.
Shape random_shape(Random& random, std::int64_t rank, std::int64_t most_elements);

}  // namespace strew::support
