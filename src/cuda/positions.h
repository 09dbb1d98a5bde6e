// The positions and the state of a call, and lists of numbers, as plain data for kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/loop_nest.h"
#include "cuda/device.h"
#include "engine/geometry/geometry.h"

namespace strew::cuda {

inline constexpr std::uint64_t kNoPosition = ~std::uint64_t{0};

/// The state of a call in device memory, initially with all bits set. Kernels, except gather_fused, write to the
/// output only while `first_bad` and `first_duplicate` are kNoPosition.
struct CallState {
  std::uint64_t first_bad;        ///< first bad tuple, counted in row-major order
  std::uint64_t first_duplicate;  ///< first position whose destination occurred before
  std::uint64_t component;        ///< component of the bad value in its tuple
  std::uint64_t value;
  std::uint64_t before;   ///< the position with which `first_duplicate` collides
  std::uint64_t arrived;  ///< never changed on the device; the host clears its copy to detect the transfer
};

STREW_DEVICE bool has_failed(const CallState* state) {
  return Thread::load(&state->first_bad) != kNoPosition || Thread::load(&state->first_duplicate) != kNoPosition;
}

/// A list of 32-bit numbers, or of 64-bit numbers for large calls.
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
  /// The number that stands for no location.
  STREW_DEVICE std::uint64_t nowhere() const { return wide ? ~std::uint64_t{0} : ~std::uint32_t{0}; }
};

/// The positions of a call. Locations in data are numbered: location n starts at element n * unit + lowest. Two
/// positions have the same location number if and only if they address the same row of data.
struct Positions {
  LoopNest<3> loop;         ///< strides: kData in location numbers, kPosition in elements, kIndex in tuples
  std::int64_t count = 0;   ///< number of positions
  std::int64_t row = 0;     ///< number of elements in a row
  std::int64_t origin = 0;  ///< added to location numbers so that none is negative
  std::int64_t unit = 1;    ///< distance between adjacent locations, in elements
  std::int64_t lowest = 0;
  std::int64_t location_count = 0;  ///< all location numbers are below this
  bool in_order = false;            ///< true if position i has offset i * row in updates or output
  Numbers chosen;                   ///< what each tuple or start position adds to location numbers; or unset

  struct Location {
    std::int64_t number;
    std::int64_t position;  ///< offset in updates or output, in elements
    bool somewhere;         ///< false if the rules drop the update or fill the output row
    std::int64_t tuple;     ///< number of the position's tuple, in row-major order
  };

  STREW_DEVICE Location operator[](std::int64_t i) const {
    Location location{origin, 0, true, 0};
    for (std::int64_t a = loop.rank - 1; a >= 0; --a) {
      const auto axis = static_cast<std::size_t>(a);
      std::int64_t coordinate = i;
      if (a > 0) {  // a single axis needs no division
        const std::int64_t rest = divide(i, loop.extent[axis]);
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
  // Divides in 32 bits if both numbers fit.
  STREW_DEVICE static std::int64_t divide(std::int64_t a, std::int64_t b) {
    if (static_cast<std::uint64_t>(a | b) >> 32 == 0)
      return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
    return a / b;
  }
};

/// Number of lanes (threads) that share a row: the smallest power of two that is at least `row`, up to 32.
struct Lanes {
  int bits = 0;

  explicit Lanes(std::int64_t row) noexcept {
    while (bits < 5 && (std::int64_t{1} << bits) < row) ++bits;
  }
  STREW_DEVICE std::int64_t count() const { return std::int64_t{1} << bits; }
};

}  // namespace strew::cuda
