// What the machine can do: copying, and reading single elements at random.
#include "plain.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace {

constexpr std::int64_t kAhead = 32;

void stream(char* to, const char* from, std::int64_t bytes) {
#if defined(__SSE2__)
  for (std::int64_t i = 0; i + 64 <= bytes; i += 64) {
    for (int j = 0; j < 64; j += 16) {
      const __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i + j));
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i + j), word);
    }
  }
  _mm_sfence();
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

}  // namespace

using strew::bench::in_parts;

extern "C" {

/// Copies `bytes` (a multiple of 64 for each thread) with memcpy, or past the caches.
void limit_copy(char* to, const char* from, std::int64_t bytes, int threads, int streaming) {
  const std::int64_t share = bytes / threads / 64 * 64;
  in_parts(threads, [=](int i) {
    if (streaming != 0) {
      stream(to + i * share, from + i * share, share);
    } else {
      std::memcpy(to + i * share, from + i * share, static_cast<std::size_t>(share));
    }
  });
}

/// out[i] = table[indices[i]], asked for ahead of its use, unchecked. `count` is a multiple of the threads.
void limit_random(float* out, const float* table, const std::uint32_t* indices, std::int64_t count, int threads) {
  const std::int64_t share = count / threads;
  in_parts(threads, [=](int part) {
    const std::int64_t begin = part * share;
    const std::int64_t end = begin + share;
    for (std::int64_t i = begin; i < end; ++i) {
      if (i + kAhead < end) __builtin_prefetch(table + indices[i + kAhead]);
      out[i] = table[indices[i]];
    }
  });
}
}
