// Formats sizes, times, rates, columns, names of nodes and hashes for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strew/model.h"
#include "strew/tensor.h"

namespace strew::app {
/// Returns a size: "36 B", "1.5 KiB", "256 MiB".
std::string size_text(std::int64_t bytes);

/// Returns a time: "870 us", "33 ms", "1.25 s".
std::string time_text(double seconds);

/// Returns "33 ms", or "33 ms (median of 5)".
std::string median_text(double seconds, int repeat);

/// Returns a rate: "15.9 GB/s", "1.96 MB/s", "0 kB/s"; 1 GB is 10^9 bytes.
std::string rate_text(std::int64_t bytes, double seconds);

/// Returns left-aligned columns two spaces apart. Each line starts with `indent` spaces and ends with a newline.
std::string columns_text(std::vector<std::vector<std::string>> rows, std::size_t indent = 0);

/// Joins words into lines of at most 100 characters. All lines but the first are indented.
std::string wrapped(const std::vector<std::string>& words, std::size_t indent);

/// Returns "'upd'"; "#3" for a node without a name; "'upd' at #3" if another node has the same name.
std::string node_text(const NodeInfo& node);

/// Returns "1 node" or "2 nodes".
std::string count_text(std::int64_t count, const std::string& noun);

/// Returns a 64-bit FNV-1a hash in 16 hexadecimal digits. It covers a line with the type and shape, "float32 [2,
/// 3]", then the elements in row-major order, little endian. A packed element is hashed as one byte, a string as
/// its length in 8 bytes and its bytes.
std::string content_hash(const Tensor& tensor);

}  // namespace strew::app
