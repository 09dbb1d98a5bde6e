#include "hash.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <span>

#include "strew/element.h"

namespace strew::app {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are hashed as they lie in memory");

class Fnv1a {
 public:
  void add(const void* data, std::size_t size) noexcept {
    for (const unsigned char byte : std::span(static_cast<const unsigned char*>(data), size)) {
      hash_ = (hash_ ^ byte) * 0x100000001B3u;
    }
  }
  std::uint64_t value() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325u;
};

}  // namespace

std::string content_hash(const Tensor& tensor) {
  Fnv1a hash;
  const std::string header = fmt::format("{} {}\n", dtype_name(tensor.dtype()), to_string(tensor.shape()));
  hash.add(header.data(), header.size());
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.values<std::string>()) {
      const std::uint64_t size = text.size();
      hash.add(&size, sizeof size);
      hash.add(text.data(), text.size());
    }
  } else if (is_packed(tensor.dtype())) {
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      const auto element = static_cast<unsigned char>(element_bits(tensor.dtype(), tensor.data(), i));
      hash.add(&element, 1);
    }
  } else {
    hash.add(tensor.data(), static_cast<std::size_t>(tensor.size_bytes()));
  }
  return fmt::format("{:016x}", hash.value());
}

}  // namespace strew::app
