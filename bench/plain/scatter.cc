// The loops anyone would write for the scatters: one thread, every index checked; 0 where one is outside. Where
// `data` is null they work in place.
#include <bit>

#include "plain.h"

using namespace strew::bench;

namespace {

/// A float of 16 bits that is rounded to nearest even at each step.
struct BFloat16 {
  std::uint16_t bits;
  BFloat16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    bits = static_cast<std::uint16_t>((word + 0x7FFF + ((word >> 16) & 1)) >> 16);
  }
  operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

// Rows of `elements`, copied or combined.
template <class Copy>
struct Set {
  Copy copy;
  std::size_t bytes;
  void operator()(char* to, const char* from) const { copy(to, from, bytes); }
};
template <class T, class Op>
struct Combine {
  std::int64_t elements;
  void operator()(char* to, const char* from) const {
    T* place = reinterpret_cast<T*>(to);
    const T* update = reinterpret_cast<const T*>(from);
    for (std::int64_t i = 0; i < elements; ++i) place[i] = Op()(place[i], update[i]);
  }
};

template <class T, class F>
bool by_reduction(char reduction, std::int64_t row, const F& f) {
  const std::int64_t elements = row / static_cast<std::int64_t>(sizeof(T));
  switch (reduction) {
    case 'a':
      return f(Combine<T, Add>{elements});
    case 'm':
      return f(Combine<T, Mul>{elements});
    case 'x':
      return f(Combine<T, Max>{elements});
    default:
      return f(Combine<T, Min>{elements});
  }
}

/// Calls `f` with what is done to a row; reduction is one of "namxi": none, add, mul, max, min.
template <class F>
bool by_step(int type, char reduction, std::int64_t row, const F& f) {
  if (reduction == 'n') {
    return by_row(row, [&](auto copy) { return f(Set<decltype(copy)>{copy, static_cast<std::size_t>(row)}); });
  }
  switch (type) {
    case kFloat32:
      return by_reduction<float>(reduction, row, f);
    case kFloat64:
      return by_reduction<double>(reduction, row, f);
#ifdef __FLT16_MAX__
    case kFloat16:
      return by_reduction<_Float16>(reduction, row, f);
#endif
    case kBFloat16:
      return by_reduction<BFloat16>(reduction, row, f);
    case kUInt8:
      return by_reduction<std::uint8_t>(reduction, row, f);
    case kInt8:
      return by_reduction<std::int8_t>(reduction, row, f);
    case kInt16:
      return by_reduction<std::int16_t>(reduction, row, f);
    case kInt32:
      return by_reduction<std::int32_t>(reduction, row, f);
    case kInt64:
      return by_reduction<std::int64_t>(reduction, row, f);
    default:
      return false;
  }
}

void start(const char* data, char* out, std::int64_t bytes) {
  if (data != nullptr) std::memcpy(out, data, static_cast<std::size_t>(bytes));
}

}  // namespace

extern "C" {

/// out[tuple(indices[i]), :] takes updates[i, :].
int plain_scatter_nd(int type, char reduction, const char* data, char* out, std::int64_t bytes,
                     const void* indices, int index_width, std::int64_t count, std::int64_t parts,
                     const std::int64_t* dims, const char* updates, std::int64_t row) {
  start(data, out, bytes);
  return by_index(indices, index_width, [&](const auto* index) {
    return by_step(type, reduction, row, [&](auto step) {
      for (std::int64_t i = 0; i < count; ++i, updates += row) {
        std::int64_t place = 0;
        for (std::int64_t p = 0; p < parts; ++p) {
          const std::int64_t at = normal(*index++, dims[p]);
          if (at < 0) return false;
          place = place * dims[p] + at;
        }
        step(out + place * row, updates);
      }
      return true;
    });
  });
}

/// out[o, indices[o, i, j], j] takes updates[o, i, j], elements of `width` bytes.
int plain_scatter_elements(int type, char reduction, const char* data, char* out, std::int64_t bytes,
                           const void* indices, int index_width, std::int64_t outer, std::int64_t extent,
                           std::int64_t count, std::int64_t inner, const char* updates, std::int64_t width) {
  start(data, out, bytes);
  return by_index(indices, index_width, [&](const auto* index) {
    return by_step(type, reduction, width, [&](auto step) {
      for (std::int64_t o = 0; o < outer; ++o, out += extent * inner * width) {
        for (std::int64_t i = 0; i < count; ++i) {
          for (std::int64_t j = 0; j < inner; ++j, updates += width) {
            const std::int64_t at = normal(*index++, extent);
            if (at < 0) return false;
            step(out + (at * inner + j) * width, updates);
          }
        }
      }
      return true;
    });
  });
}

/// Writes `steps` rows from starts[b] on into each of the `heads` caches of entry b, each `extent` rows long.
int plain_tensor_scatter(const char* data, char* out, std::int64_t bytes, const std::int64_t* starts,
                         std::int64_t batch, std::int64_t heads, std::int64_t extent, std::int64_t steps,
                         const char* updates, std::int64_t row) {
  start(data, out, bytes);
  for (std::int64_t b = 0; b < batch; ++b) {
    if (starts[b] < 0 || starts[b] + steps > extent) return 0;
    for (std::int64_t h = 0; h < heads; ++h, out += extent * row, updates += steps * row) {
      std::memcpy(out + starts[b] * row, updates, static_cast<std::size_t>(steps * row));
    }
  }
  return 1;
}
}
