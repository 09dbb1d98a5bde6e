// A geometry as kernels take it: plain data, in the kernel's parameters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/loop_nest.h"
#include "cuda/device.h"
#include "engine/geometry/geometry.h"

namespace strew::cuda {

inline constexpr std::uint64_t kNoPosition = ~std::uint64_t{0};

/// What a call says of itself, in device memory. All bits are set at first. `first_bad` and `first_duplicate` end
/// the call: kernels that write to the output look at them first.
struct CallState {
  std::uint64_t first_bad;        ///< tuple of indices
  std::uint64_t first_duplicate;  ///< position
  std::uint64_t component;        ///< of the bad tuple
  std::uint64_t value;
  std::uint64_t before;   ///< the position that `first_duplicate` collides with
  std::uint64_t arrived;  ///< no device changes it: where the host cleared it first, whether the state has come
};

STREW_DEVICE bool has_failed(const CallState* state) {
  return Thread::load(&state->first_bad) != kNoPosition || Thread::load(&state->first_duplicate) != kNoPosition;
}

/// Numbers of 32 bits, or of 64 where calls are large.
struct Numbers {
  void* at = nullptr;
  bool wide = false;

  STREW_DEVICE std::uint64_t operator[](std::int64_t i) const {
    return wide ? static_cast<const std::uint64_t*>(at)[i] : static_cast<const std::uint32_t*>(at)[i];
  }
  STREW_DEVICE void set(std::int64_t i, std::uint64_t number) const {
    if (wide) {
      static_cast<std::uint64_t*>(at)[i] = number;
    } else {
      static_cast<std::uint32_t*>(at)[i] = static_cast<std::uint32_t>(number);
    }
  }
  /// Stands for no location.
  STREW_DEVICE std::uint64_t nowhere() const { return wide ? ~std::uint64_t{0} : ~std::uint32_t{0}; }
};

/// Where the rows of positions are. Locations in data are numbered: number n begins at element n * unit + lowest,
/// and two positions have the same number exactly if they have the same row of data.
struct Positions {
  LoopNest<3> loop;         ///< kData: in numbers, kPosition: in elements, kIndex: in tuples
  std::int64_t count = 0;   ///< of positions
  std::int64_t row = 0;     ///< elements of each
  std::int64_t origin = 0;  ///< added to numbers, so that none is negative
  std::int64_t unit = 1;    ///< elements from one number to the next
  std::int64_t lowest = 0;
  std::int64_t location_count = 0;  ///< numbers are below this
  bool in_order = false;            ///< rows of positions follow each other
  Numbers chosen;                   ///< what each tuple adds to the number; none: nothing

  struct Location {
    std::int64_t number;
    std::int64_t position;  ///< in elements
    bool somewhere;
    std::int64_t tuple;  ///< of indices
  };

  STREW_DEVICE Location operator[](std::int64_t i) const {
    Location location{origin, 0, true, 0};
    for (std::int64_t a = loop.rank - 1; a >= 0; --a) {
      const auto axis = static_cast<std::size_t>(a);
      std::int64_t coordinate = i;
      if (a > 0) {  // one axis needs no division
        const std::int64_t rest = divided(i, loop.extent[axis]);
        coordinate = i - rest * loop.extent[axis];
        i = rest;
      }
      location.number += coordinate * loop.stride[axis][kData];
      location.position += coordinate * loop.stride[axis][kPosition];
      location.tuple += coordinate * loop.stride[axis][kIndex];
    }
    if (chosen.at != nullptr) {
      const std::uint64_t adds = chosen[location.tuple];
      location.somewhere = adds != chosen.nowhere();
      location.number += static_cast<std::int64_t>(adds);
    }
    return location;
  }
  STREW_DEVICE std::int64_t position_of(std::int64_t i) const { return in_order ? i * row : (*this)[i].position; }
  STREW_DEVICE std::int64_t offset(std::int64_t number) const { return number * unit + lowest; }

 private:
  // 32 bits where they do.
  STREW_DEVICE static std::int64_t divided(std::int64_t a, std::int64_t b) {
    if (static_cast<std::uint64_t>(a | b) >> 32 == 0)
      return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
    return a / b;
  }
};

/// Lanes of a group that moves or folds a row together: a power of two that covers it, up to 32.
struct Lanes {
  int bits = 0;

  explicit Lanes(std::int64_t row) noexcept {
    while (bits < 5 && (std::int64_t{1} << bits) < row) ++bits;
  }
  STREW_DEVICE std::int64_t count() const { return std::int64_t{1} << bits; }
};

}  // namespace strew::cuda
