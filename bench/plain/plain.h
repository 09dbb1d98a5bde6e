// What the plain loops share: index reading with a check, and a call by element width or type. C interface for
// Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace strew::bench {

/// Element types by their ONNX numbers.
enum Type : int {
  kFloat32 = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kFloat16 = 10,
  kFloat64 = 11,
  kBFloat16 = 16
};

/// The index with a negative one counted from the end, or -1 where it is outside.
template <class Index>
inline std::int64_t normal(Index index, std::int64_t extent) {
  const std::int64_t at = index < 0 ? index + extent : static_cast<std::int64_t>(index);
  return at < 0 || at >= extent ? -1 : at;
}

template <std::size_t kBytes>
struct Fixed {
  void operator()(void* to, const void* from, std::size_t) const { std::memcpy(to, from, kBytes); }
};
struct Any {
  void operator()(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }
};

/// Calls `f` with a copier for rows of that many bytes.
template <class F>
bool by_row(std::int64_t bytes, const F& f) {
  switch (bytes) {
    case 1:
      return f(Fixed<1>());
    case 2:
      return f(Fixed<2>());
    case 4:
      return f(Fixed<4>());
    case 8:
      return f(Fixed<8>());
    case 16:
      return f(Fixed<16>());
    default:
      return f(Any());
  }
}

/// Runs part 0 .. threads - 1, the first on the calling thread.
inline void in_parts(int threads, const std::function<void(int)>& part) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(part, i);
  part(0);
  for (std::thread& other : others) other.join();
}

/// Calls `f` with the indices as a typed pointer.
template <class F>
bool by_index(const void* indices, int width, const F& f) {
  return width == 4 ? f(static_cast<const std::int32_t*>(indices)) : f(static_cast<const std::int64_t*>(indices));
}

}  // namespace strew::bench
