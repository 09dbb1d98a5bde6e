#include "format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "console.h"
#include "strew/element.h"

namespace strew::app {
namespace {

// Returns about three significant digits, with at most two decimals and no trailing zeros after the point.
std::string three_digits(double value) {
  const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

static_assert(std::endian::native == std::endian::little, "the hash reads elements in little-endian order");

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

std::string size_text(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{} {}", three_digits(value), kUnits[unit]);
}

std::string time_text(double seconds) {
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds * 1e6) + " us";
}

std::string median_text(double seconds, int repeat) {
  return repeat == 1 ? time_text(seconds) : fmt::format("{} (median of {})", time_text(seconds), repeat);
}

std::string rate_text(std::int64_t bytes, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(bytes) / seconds : 0;
  if (rate >= 0.9995e9) return three_digits(rate * 1e-9) + " GB/s";
  if (rate >= 0.9995e6) return three_digits(rate * 1e-6) + " MB/s";
  return three_digits(rate * 1e-3) + " kB/s";
}

std::string columns_text(std::vector<std::vector<std::string>> rows, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = one_line(row[i]);
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string wrapped(const std::vector<std::string>& words, std::size_t indent) {
  std::string text;
  std::size_t column = indent;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += ' ';
    if (column + words[i].size() > 100) {
      text.back() = '\n';
      text += std::string(indent, ' ');
      column = indent;
    }
    text += words[i];
    column += words[i].size() + 1;
  }
  return text;
}

std::string node_text(const NodeInfo& node) {
  const std::string name = node.name.starts_with('#') ? node.name : fmt::format("'{}'", node.name);
  return node.name == node.address ? name : fmt::format("{} at {}", name, node.address);
}

std::string count_text(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

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
